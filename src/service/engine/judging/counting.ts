import type { LogItem } from '../../core/telemetry-item.ts';
import { getOrCreate, getOrCreateFrequent, increase, senderKey } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import type { JudgedRequest } from '../requests/judge-request.ts';
import type { ReportedSpan, SpanNode } from '../requests/request-tree.ts';
import type { LostLines } from '../requests/span-lines.ts';
import { runOf } from '../requests/trace-assembly.ts';
import { addSeenCalls, type JudgingState, type SeenCall } from './judging-state.ts';
import { errorTemplate, statementTemplate } from './log-template.ts';
import { count, createTally, isFailure, type Outcome, observationsOf, type Watch } from './tally.ts';

/** A span with facts from its child spans and its log lines. */
export interface AssembledSpan extends ReportedSpan {
  /** Time of its request that is charged to it, see `chargeMoments`. */
  readonly ownMs: number;
  /** How often each kind of step happened in it: own sub-operations and calls to others. Of a call, its answer is none. */
  readonly steps: ReadonlyMap<string, number>;
  /** How often each line was written in it, by feature. */
  readonly logs: ReadonlyMap<string, number>;
  /** Other services that it called. */
  readonly calls: readonly Call[];
  /** It came after its trace was judged: its lines and child spans may have been, too. */
  readonly isLate: boolean;
}

export interface Call {
  readonly callee: string;
  readonly calls: number;
  readonly failed: number;
  /**
   * Time of the call that the callee does not account for: network and queues. null: not known, unless the span has
   * exactly one child, which is its own.
   */
  readonly gapMs: number | null;
}

/** @param callee for a call that nobody answered, else null */
export function assemble(
  node: SpanNode,
  logs: ReadonlyMap<string, number>,
  callee: string | null,
  isLate: boolean,
): AssembledSpan {
  const { span, sender, children } = node;
  const steps = new Map<string, number>();
  for (const child of children) {
    if (span.role === 'client' && child.span.service !== span.service) {
      continue; // a call that was answered has arrived, whether or not its callee reports it
    }
    increase(steps, `step ${child.span.service} ${child.span.operation}`, 1, LIMITS.features);
  }
  return { span, sender, ownMs: node.ownMs, steps, logs, calls: callsOf(node, callee), isLate };
}

function callsOf({ span, children }: SpanNode, callee: string | null): Call[] {
  if (children.length === 0) {
    return callee === null ? [] : [{ callee, calls: 1, failed: span.isFailed ? 1 : 0, gapMs: null }];
  }
  const isOneCall = children.length === 1;
  const isAdopted = children.some((child) => child.isAdopted);
  const remote = Map.groupBy(
    children.filter((child) => child.span.service !== span.service),
    (child) => child.span.service,
  );
  return [...remote].map(([service, answers]) => {
    const failed = answers.filter((answer) => answer.span.isFailed).length;
    const durationMs = answers.reduce((sum, answer) => sum + answer.span.durationMs, 0);
    return {
      callee: service,
      calls: answers.length,
      failed: Math.max(failed, isOneCall && span.isFailed ? 1 : 0),
      gapMs: isOneCall && !isAdopted ? Math.max(0, span.durationMs - durationMs) : null,
    };
  });
}

const NONE: ReadonlyMap<string, number> = new Map();

/** Number of requests that went well, by place. It shows which services still answer. */
export function countAnswers(requests: readonly JudgedRequest[]): Map<string, number> {
  const answers = new Map<string, number>();
  for (const { place, mark } of requests.flatMap(({ marks }) => marks)) {
    if (mark === 'well') {
      answers.set(place, (answers.get(place) ?? 0) + 1);
    }
  }
  return answers;
}

/** Keys (`runOf`) of the runs of which a span failed. */
export function findLost(spans: readonly AssembledSpan[]): Set<string> {
  return new Set(spans.filter(({ span }) => span.isFailed).map(({ span }) => runOf(span)));
}

/**
 * Keys (`runOf`) of the runs in which steps and log lines may be missing: something failed or was rejected, or came so late
 * that the rest was judged before.
 */
export function findIncomplete(spans: readonly AssembledSpan[]): Set<string> {
  const incomplete = spans.filter(
    ({ span, logs, calls, isLate }) =>
      isLate ||
      span.isFailed ||
      span.isRejected !== undefined ||
      [...logs.keys()].some(isFailure) ||
      calls.some((call) => call.failed > 0),
  );
  return new Set(incomplete.map(({ span }) => runOf(span)));
}

export function countSpan(
  state: JudgingState,
  assembled: AssembledSpan,
  slot: number,
  calls: Map<string, SeenCall>,
  outcome: Outcome,
): void {
  const { span, sender, steps, logs } = assembled;
  const [call] = assembled.calls;
  const isOutgoing = assembled.calls.length === 1 && call?.gapMs !== null && call !== undefined;
  const features = new Map([...steps, ...logs, ...(span.isFailed ? [['failed', 1] as const] : [])]);
  countIn(
    state,
    { sender, service: span.service, kind: 'operation', subject: span.operation },
    slot,
    features,
    isOutgoing ? null : assembled.ownMs,
    outcome,
  );
  for (const { callee, calls: number, failed, gapMs } of assembled.calls) {
    const about = { sender, service: span.service, kind: 'edge', subject: callee } as const;
    countIn(state, about, slot, failed > 0 ? new Map([['failed', 1]]) : NONE, gapMs, {
      isClean: failed === 0,
      hasFailed: failed > 0,
    });
    addSeenCalls(calls, { sender, caller: span.service, callee, calls: number, failed });
  }
}

/** Nobody knows the run of a line without a span. */
const UNKNOWN: Outcome = { isClean: false, hasFailed: false };

/** Counts log lines without a known span by service and sender. Only error lines are counted by feature. */
export function countLines(state: JudgingState, { sender, service, feature, lines }: LostLines, slot: number): void {
  const features = isFailure(feature) ? new Map([[feature, 1]]) : NONE;
  for (let line = 0; line < lines; line += 1) {
    countIn(state, { sender, service, kind: 'lines', subject: '' }, slot, features, null, UNKNOWN);
  }
}

export function featureOf({ severity, text }: LogItem, services: Parameters<typeof errorTemplate>[1]): string {
  switch (severity) {
    case 'critical':
    case 'error':
      return `error ${errorTemplate(text, services)}`;
    case 'warning':
    case 'info':
      return `log ${statementTemplate(text)}`;
  }
}

function countIn(
  state: JudgingState,
  about: Pick<Watch, 'sender' | 'service' | 'kind' | 'subject'>,
  slot: number,
  features: ReadonlyMap<string, number>,
  timeMs: number | null,
  outcome: Outcome,
): void {
  const create = (): Watch => ({
    ...about,
    usual: createTally(),
    slots: new Map(),
    looks: 0,
    active: 0,
    firstSlot: null,
    oddSince: null,
    oddUntil: Number.NEGATIVE_INFINITY,
  });
  const key = senderKey(about.sender, about.kind, about.service, about.subject);
  const watch = getOrCreateFrequent(state.watches, key, LIMITS.names, create, observationsOf);
  count(getOrCreate(watch.slots, slot, LIMITS.few, createTally), features, timeMs, outcome);
}
