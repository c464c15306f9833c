import { getOrCreateFrequent, senderKey } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import { addValue, createHistogram, estimate, type Histogram, halve } from '../histogram.ts';
import { LEAST_SAMPLES, MOST_SAMPLES, MUCH, STALE_SHARE } from './constants.ts';
import type { SpanNode } from './request-tree.ts';

/** Baseline times of an operation or a service, in milliseconds. */
export interface UsualTime {
  readonly duration: Times;
  /** Time of their requests that is charged to them, see `chargeMoments`; of a call that is answered, time on the way. */
  readonly own: Times;
  /** Whether some of the spans answer others or take messages. */
  answers: boolean;
}

/** Baseline times of the operations of each sender, and the callees of their calls. */
export interface UsualTimes {
  readonly byOperation: Map<string, UsualTime>;
  /** Pooled by service, for operations with few samples. */
  readonly byService: Map<string, UsualTime>;
  /** The service that answers a calling operation. */
  readonly callees: Map<string, { readonly callee: string; answered: number; silent: number }>;
  /** Services by the names that their callers have for them, as each sender reports them. */
  readonly aliases: Map<string, string>;
  /** Services that answer the calls of an operation. */
  readonly answers: Map<string, Answers>;
  /** Calls of which something behind the callee seemed to be the answer, by span: the answer itself may come late. */
  readonly guessed: Map<string, { readonly key: string; readonly peer: string }>;
  /** Calls whose answers came when they had been judged. */
  readonly answeredLate: Map<string, true>;
}

/** How often an operation ran well, fading, and how often each service was seen to answer in it. */
interface Answers {
  runs: number;
  /** Services that are called without a client span. */
  readonly direct: Map<string, number>;
}

export function createUsualTimes(): UsualTimes {
  return {
    byOperation: new Map(),
    byService: new Map(),
    callees: new Map(),
    aliases: new Map(),
    answers: new Map(),
    guessed: new Map(),
    answeredLate: new Map(),
  };
}

/** A call may have the same name as what it is part of: `GET`. */
export function operationKey({ sender, span }: SpanNode): string {
  return senderKey(sender, span.service, span.operation, span.role);
}

function serviceKey({ sender, span }: SpanNode, isCall = span.role === 'client'): string {
  return senderKey(sender, span.service, isCall ? 'calls' : 'work');
}

/** Whether the service of a span answers others or takes messages. */
export function isServer(usual: UsualTimes, node: SpanNode): boolean {
  return usual.byService.get(serviceKey(node, false))?.answers === true;
}

/** Remembers the times of a span as usual. */
export function learnTimes(usual: UsualTimes, node: SpanNode): void {
  const create = (): UsualTime => ({ duration: createTimes(), own: createTimes(), answers: false });
  const weigh = ({ duration }: UsualTime) => duration.histogram.total;
  const own = getOrCreateFrequent(usual.byOperation, operationKey(node), LIMITS.names, create, weigh);
  const pooled = getOrCreateFrequent(usual.byService, serviceKey(node), 2 * LIMITS.services, create, weigh);
  for (const each of [own, pooled]) {
    addTime(each.duration, node.span.durationMs);
    addTime(each.own, node.ownMs);
    each.answers ||= node.span.role === 'server' || node.span.role === 'consumer';
  }
}

/** @returns null: there is no baseline yet */
export function usualOf(usual: UsualTimes, node: SpanNode, kind: 'duration' | 'own'): Usual | null {
  const own = usual.byOperation.get(operationKey(node))?.[kind];
  if (own !== undefined && own.histogram.total >= LEAST_SAMPLES) {
    return usualOfTimes(own);
  }
  const pooled = usual.byService.get(serviceKey(node))?.[kind];
  if (pooled === undefined || pooled.histogram.total < LEAST_SAMPLES) {
    return null;
  }
  return own === undefined || own.histogram.total === 0
    ? usualOfTimes(pooled)
    : { medianMs: usualOfTimes(own).medianMs, highMs: estimate(own.histogram, 1) };
}

export function isMuchLonger(ms: number, { medianMs, highMs }: Usual): boolean {
  return ms > MUCH.ofHigh * highMs && ms > MUCH.ofMedian * medianMs && ms > medianMs + MUCH.ms;
}

/** Whether a span took much longer than usual. */
export function isOverdue(usual: UsualTimes, node: SpanNode): boolean {
  const known = usualOf(usual, node, 'duration');
  return known !== null && isMuchLonger(node.span.durationMs, known);
}

/** Durations with their cached baseline, which is read far more often than it changes. */
export interface Times {
  readonly histogram: Histogram;
  usual: Usual;
  /** Number of samples from which `usual` is computed again. */
  staleFrom: number;
}

export interface Usual {
  readonly medianMs: number;
  /** 95th percentile. */
  readonly highMs: number;
}

function createTimes(): Times {
  return { histogram: createHistogram(), usual: { medianMs: 0, highMs: 0 }, staleFrom: 1 };
}

function addTime(times: Times, ms: number): void {
  const { histogram } = times;
  addValue(histogram, ms);
  if (histogram.total > MOST_SAMPLES) {
    halve(histogram);
    times.staleFrom = 0;
  }
}

function usualOfTimes(times: Times): Usual {
  const { histogram, staleFrom } = times;
  if (histogram.total >= staleFrom) {
    times.usual = { medianMs: estimate(histogram, 0.5), highMs: estimate(histogram, 0.95) };
    times.staleFrom = Math.ceil(histogram.total * STALE_SHARE) + 1;
  }
  return times.usual;
}
