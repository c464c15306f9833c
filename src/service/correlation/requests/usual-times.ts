import { getOrCreateFrequent, setBounded } from '../bounded-map.ts';
import type { SpanNode } from './request-tree.ts';
import { addTime, createTimes, highestOf, type Times, type Usual, usualOfTimes } from './times.ts';

/** Times that are usual for something, in milliseconds. */
export interface UsualTime {
  readonly duration: Times;
  /** Without what it waits for; of a call: what is lost on the way. */
  readonly self: Times;
}

/** What is usual for the operations of each sender, and where their calls lead. */
export interface UsualTimes {
  readonly byOperation: Map<string, UsualTime>;
  /** Pooled for operations that are young or rare. */
  readonly byService: Map<string, UsualTime>;
  /** The service that answers a calling operation. */
  readonly callees: Map<string, { readonly callee: string; answered: number; silent: number }>;
  /** Services by the names that their callers have for them. */
  readonly aliases: Map<string, string>;
}

const MAX_OPERATIONS = 20_000;
const MAX_SERVICES = 5_000;

export function createUsualTimes(): UsualTimes {
  return { byOperation: new Map(), byService: new Map(), callees: new Map(), aliases: new Map() };
}

/** The service that a span waits for, or null: it does the work itself. A service that never reports has a name, too. */
export function calleeOf(usual: UsualTimes, node: SpanNode): string | null {
  const { span, children } = node;
  const remote = children.findLast((child) => child.span.service !== span.service);
  if (remote !== undefined) {
    return remote.span.service;
  }
  if (span.role === 'server') {
    return null;
  }
  const known = usual.callees.get(callKey(node));
  if (known !== undefined && known.answered > Math.max(LEAST_ANSWERS, known.silent)) {
    return known.callee;
  }
  if (span.peer === null || span.peer === '' || span.peer === span.service) {
    return null;
  }
  return usual.aliases.get(span.peer) ?? span.peer;
}

/** Whether the service that a span waits for reported nothing in this trace. */
export function isSilent({ span, children }: SpanNode): boolean {
  return !children.some((child) => child.span.service !== span.service);
}

export function operationKey({ sender, span }: SpanNode): string {
  return `${sender}|${span.service}|${span.operation}`;
}

/** Calls have poor names: `POST` leads to whom the span names. */
function callKey(node: SpanNode): string {
  return `${operationKey(node)}|${node.span.peer ?? ''}`;
}

const LEAST_ANSWERS = 3;

function serviceKey({ sender, span }: SpanNode): string {
  return `${sender}|${span.service}|${span.role === 'client' ? 'calls' : 'work'}`;
}

/** Time that a span does not spend waiting for its children. */
export function selfTimeOf({ span, children }: SpanNode): number {
  let waited = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const child of children.toSorted((a, b) => a.startMs - b.startMs)) {
    if (child.span.service === span.service) {
      waited += Math.max(0, child.span.at - Math.max(child.startMs, until));
      until = Math.max(until, child.span.at);
    } else {
      waited += child.span.durationMs; // clocks of two services cannot be compared
    }
  }
  return Math.max(0, span.durationMs - waited);
}

/** Remembers the times of a span as usual. */
export function learnTimes(usual: UsualTimes, node: SpanNode, selfMs: number): void {
  const create = (): UsualTime => ({ duration: createTimes(), self: createTimes() });
  const weigh = ({ duration }: UsualTime) => duration.histogram.total;
  const own = getOrCreateFrequent(usual.byOperation, operationKey(node), MAX_OPERATIONS, create, weigh);
  const pooled = getOrCreateFrequent(usual.byService, serviceKey(node), 2 * MAX_SERVICES, create, weigh);
  for (const each of [own, pooled]) {
    addTime(each.duration, node.span.durationMs);
    addTime(each.self, selfMs);
  }
}

/** Remembers who answers a call. A call that is silent once in a while still has its callee. */
export function learnCallee(usual: UsualTimes, node: SpanNode): void {
  const { span, children } = node;
  if (span.role === 'server') {
    return;
  }
  const remote = children.findLast((child) => child.span.service !== span.service);
  const key = callKey(node);
  const known = usual.callees.get(key);
  if (remote === undefined) {
    if (known !== undefined && !span.isFailed) {
      known.silent = FADE * known.silent + 1;
      known.answered *= FADE;
    }
    return;
  }
  const callee = remote.span.service;
  if (known === undefined || known.callee !== callee) {
    // Calls of one name that lead here and there tell nothing.
    setBounded(usual.callees, key, { callee, answered: known === undefined ? 1 : 0, silent: 0 }, MAX_OPERATIONS);
  } else {
    known.answered = FADE * known.answered + 1;
    known.silent *= FADE;
  }
  if (span.peer !== null && span.peer !== '' && span.peer !== callee) {
    setBounded(usual.aliases, span.peer, callee, MAX_SERVICES);
  }
}

const FADE = 0.98;

/** Fewer samples are judged together with those of their siblings. */
const LEAST_SAMPLES = 30;

/** @returns null: nobody knows yet what is usual */
export function usualOf(usual: UsualTimes, node: SpanNode, kind: keyof UsualTime): Usual | null {
  const own = usual.byOperation.get(operationKey(node))?.[kind];
  if (own !== undefined && own.histogram.total >= LEAST_SAMPLES) {
    return usualOfTimes(own);
  }
  const pooled = usual.byService.get(serviceKey(node))?.[kind];
  if (pooled === undefined || pooled.histogram.total < LEAST_SAMPLES) {
    return null;
  }
  const siblings = usualOfTimes(pooled);
  if (own === undefined || own.histogram.total === 0) {
    return siblings;
  }
  const highest = highestOf(own);
  return { medianMs: usualOfTimes(own).medianMs, highMs: Math.max(highest, Math.min(siblings.highMs, 3 * highest)) };
}

/** People notice what takes half as much again as the slowest usual ones, twice as long, and so much longer. */
const MUCH = { ofHigh: 1.5, ofMedian: 2, ms: 20 };

export function isMuchLonger(ms: number, { medianMs, highMs }: Usual): boolean {
  return ms > MUCH.ofHigh * highMs && ms > MUCH.ofMedian * medianMs && ms > medianMs + MUCH.ms;
}
