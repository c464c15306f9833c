import { senderKey } from '../bounded-map.ts';
import { type Answerers, firstOfRun, isWork, type SpanNode } from './request-tree.ts';
import { isMuchLonger, operationKey, selfTimeOf, type UsualTimes, usualOf } from './usual-times.ts';

/** A smaller share of its runs may be spans that lost their parent, and were hung there by mistake. */
const LEAST_SHARE = 0.05;

/**
 * Whether a span does the work of its service, and calls nobody by itself. The internal span of a handler does, if several
 * services answer below it: its calls have no spans of their own.
 */
export function isWorking(usual: UsualTimes, node: SpanNode): boolean {
  return isWork(node) || (node.span.role === 'internal' && hasSeveralCallees(usual, node));
}

function hasSeveralCallees(usual: UsualTimes, node: SpanNode): boolean {
  const { runs = 0, direct = new Map<string, number>() } = usual.answers.get(operationKey(node)) ?? {};
  const least = LEAST_SHARE * Math.max(runs, LEAST_RUNS);
  return direct.size > 1 && [...direct.values()].filter((count) => count > least).length > 1;
}

/** The span in which a span called others without client spans: itself, or the last internal one that does its work. */
export function callingSpan(usual: UsualTimes, node: SpanNode): SpanNode {
  const { service } = node.span;
  const isHandler = (child: SpanNode) =>
    child.span.service === service && child.span.role === 'internal' && isWorking(usual, child);
  const handler = isWork(node) ? node.children.findLast(isHandler) : undefined;
  return handler === undefined || hasSeveralCallees(usual, node) ? node : handler;
}

/** The service that a span waits for, or null: it does the work itself. A service that never reports has a name, too. */
export function calleeOf(usual: UsualTimes, node: SpanNode): string | null {
  const answer = answerOf(node);
  const answerer = answer?.span.service ?? null;
  return answer?.isAdopted === false ? answerer : (calledBy(usual, node) ?? answerer);
}

/**
 * Whether what is below a call did not answer it, but something behind its callee, whose own span never came: the time of the
 * callee cannot be told from that of the way to it.
 */
export function isAnsweredBehind(usual: UsualTimes, node: SpanNode): boolean {
  return !isWorking(usual, node) && answerOf(node)?.isAdopted === true;
}

/** The span of another service that answered; the last one, if there are several. null: none did. */
export function answerOf({ span, children }: SpanNode): SpanNode | null {
  return children.findLast((child) => child.span.service !== span.service) ?? null;
}

/**
 * The service that is blamed if nobody answers: not who answered, if a proxy or a service that sends no spans is between. null:
 * the span does the work itself, or does not tell whom it calls.
 */
export function calledBy(usual: UsualTimes, node: SpanNode): string | null {
  const { span } = node;
  if (isWorking(usual, node)) {
    return null;
  }
  const known = usual.callees.get(callKey(node));
  if (known !== undefined && isMostlyAnswered(known)) {
    return known.callee;
  }
  if (span.peer === null || span.peer === '') {
    return span.isFailed && span.role === 'client' ? findMissing(usual, node) : null;
  }
  if (span.peer === span.service) {
    return null;
  }
  return usual.aliases.get(senderKey(node.sender, span.peer)) ?? span.peer;
}

/**
 * Services that may be at fault for the loss of a span whose calls have no client spans: those that answered and, if it
 * failed, those that usually answer. This span alone cannot tell which.
 */
export function suspectsOf(usual: UsualTimes, node: SpanNode): string[] {
  const { span, children } = node;
  if (!isWorking(usual, node)) {
    return [];
  }
  const seen = children.map((child) => child.span.service).filter((service) => service !== span.service);
  return [...new Set([...seen, ...(span.isFailed ? missingIn(usual, node, 'direct', MOSTLY) : [])])];
}

/**
 * The service that a failed span without client spans waited for: one that usually answers, but not now, while the span
 * spent much longer than usual without an answer of those that did.
 */
export function missingOf(usual: UsualTimes, node: SpanNode): string | null {
  const known = usualOf(usual, node, 'self');
  const isLate = node.span.role !== 'client' && known !== null && isMuchLonger(selfTimeOf(node), known);
  return isLate ? (missingIn(usual, node, 'direct', MOSTLY)[0] ?? null) : null;
}

/** Clocks drift apart, and times are rounded. */
const LATER_MS = 20;

export function lateKey(node: SpanNode, callee: string): string {
  return `${operationKey(node)}|${callee}`;
}

/**
 * The callee that still worked when a failed span gave up. Clocks of two services cannot be compared, but their
 * difference in runs that went well can.
 */
export function abandonedBy(usual: UsualTimes, node: SpanNode): string | null {
  const late = node.children.find(({ span }) => {
    const latest = span.service === node.span.service ? undefined : usual.latestEnds.get(lateKey(node, span.service));
    return latest !== undefined && span.at - node.span.at > latest + LATER_MS;
  });
  return late?.span.service ?? null;
}

const MOSTLY = 0.5;
const AT_TIMES = 0.2;
const EVER = 0;

/** Services that usually answer in an operation, in their usual order, without those that did. */
function missingIn(usual: UsualTimes, node: SpanNode, way: keyof Reached, leastShare: number): string[] {
  const known = usual.answers.get(operationKey(node));
  if (known === undefined) {
    return [];
  }
  const answered = way === 'below' ? reachedBelow(usual, node) : answerersOf(node)[way];
  const usually = [...known[way]].filter(([, count]) => count > leastShare * known.runs);
  return usually.map(([callee]) => callee).filter((callee) => !answered.has(callee));
}

/** Callees of a run whose calls are no spans of their own. */
export interface DirectCallees {
  /** Services that answered in this run. */
  readonly answered: ReadonlySet<string>;
  /** In which share of the runs each service usually answers, in their usual order. */
  readonly usualShares: ReadonlyMap<string, number>;
}

/** Fewer runs say little about a share. */
const LEAST_RUNS = 10;

/** @returns null: its calls are spans, or it makes none */
export function directCalleesOf(usual: UsualTimes, node: SpanNode): DirectCallees | null {
  if (!isWorking(usual, node)) {
    return null;
  }
  const { runs = 0, direct = new Map<string, number>() } = usual.answers.get(operationKey(node)) ?? {};
  const answered = answerersOf(node).direct;
  const shares = [...direct].map(([callee, count]) => [callee, count / Math.max(runs, LEAST_RUNS)] as const);
  return answered.size + shares.length === 0 ? null : { answered, usualShares: new Map(shares) };
}

export interface Reached extends Answerers {
  /** Whether or not they answered, see `reachedBelow`. */
  readonly below: ReadonlySet<string>;
}

/** A call of a run, and the span that tells how it ended: of the call, or of the callee. */
interface Call {
  readonly callee: string;
  readonly span: SpanNode['span'];
}

/** The calls that a run of a service made to others, whether or not they answered. */
function callsBelow(usual: UsualTimes, run: SpanNode): Call[] {
  const calls: Call[] = [];
  const stack = run.children.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { span } = node;
    const isOwn = span.service === run.span.service;
    const callee = !isOwn ? span.service : isWorking(usual, node) ? null : calleeOf(usual, node);
    if (callee === null) {
      stack.push(...node.children.toReversed());
    } else {
      calls.push({ callee, span });
    }
  }
  return calls;
}

/** Other services that a run of a service called, whether or not they answered. */
export function reachedBelow(usual: UsualTimes, run: SpanNode): Set<string> {
  return new Set(callsBelow(usual, run).map(({ callee }) => callee));
}

/** Who was called by a run, once for each call: in vain, or well, however long it took, if the run went well too. */
export function outcomesOf(usual: UsualTimes, run: SpanNode): { readonly well: string[]; readonly inVain: string[] } {
  const calls = callsBelow(usual, run);
  const isInVain = ({ span }: Call) => span.isFailed || span.isRejected === true;
  const nameOf = ({ callee }: Call) => callee;
  return {
    well: run.span.isFailed ? [] : calls.filter((call) => !isInVain(call)).map(nameOf),
    inVain: calls.filter(isInVain).map(nameOf),
  };
}

/**
 * Services that the run of a failed span did not call, although others like it do. A circuit breaker may have been open, or
 * it failed before it came to them.
 */
export function notCalledBy(usual: UsualTimes, node: SpanNode): string[] {
  return missingIn(usual, firstOfRun(node), 'below', EVER);
}

/** Each failed call of a span asks it of that span, so the node keeps it. */
export function answerersOf(node: SpanNode): Answerers {
  node.answerers ??= findAnswerers(node);
  return node.answerers;
}

function findAnswerers({ span, children }: SpanNode): Answerers {
  const direct = new Set<string>();
  const calls = new Set<string>();
  for (const child of children) {
    if (child.span.service !== span.service) {
      direct.add(child.span.service);
    } else if (!isWork(child)) {
      for (const { span: answer } of child.children) {
        if (answer.service !== span.service) {
          calls.add(answer.service);
        }
      }
    }
  }
  return { direct, calls };
}

/** The callee of a call whose name leads to several services: one that usually answers, but not in this run. */
function findMissing(usual: UsualTimes, { parent, span }: SpanNode): string | null {
  return parent?.span.service === span.service ? (missingIn(usual, parent, 'calls', AT_TIMES)[0] ?? null) : null;
}

/** Whether the service that a span waits for reported nothing in this trace. */
export function isSilent(node: SpanNode): boolean {
  return answerOf(node) === null;
}

/** Calls have poor names: `POST` leads to whom the span names. */
export function callKey(node: SpanNode): string {
  return `${operationKey(node)}|${node.span.peer ?? ''}`;
}

/** How often a call was answered, and how often not; both fade. */
interface AnswerCounts {
  readonly answered: number;
  readonly silent: number;
}

export const LEAST_ANSWERS = 3;

/** Whether who answered a call is its callee, by its answers and by how often there was none. */
export function isMostlyAnswered({ answered, silent }: AnswerCounts): boolean {
  return answered > Math.max(LEAST_ANSWERS, silent);
}

/** Whether hardly a call remains without the span of its answer, which is lost at times. @param known undefined: none was seen */
export function isAlwaysAnswered(known: AnswerCounts | undefined): boolean {
  return known !== undefined && known.answered >= LEAST_RUNS && known.silent <= LEAST_SHARE * known.answered;
}
