import type { Correlation, Severity, SignalType } from '../../contract/resources.ts';
import type { ServiceCall, StoredSignal } from '../core/signal.ts';
import { clip } from '../core/text.ts';
import { type CallGraph, createCallGraph } from './call-graph.ts';
import { byTime } from './group.ts';
import { type Candidate, countOccurrences, firstSeenAt, rankServices } from './rank.ts';

/** Stored in every incident, so that readers know which method explained it. */
const METHOD = 'deepest-failing-service/1';
const TITLE_LIMIT = 120;
const EVIDENCE_LIMIT = 300;
/** Even a lone root may be a victim of something that is not observed. */
const MAX_CONFIDENCE = 0.95;
/** Factor for a root that reports nothing itself. */
const SILENT_ROOT_CONFIDENCE = 0.8;
const UNSURE_BELOW = 0.25;

export interface Explanation {
  readonly rootService: string;
  /** `payments: POST /charge fails (connection refused)`, at most 120 characters. */
  readonly title: string;
  readonly severity: Severity;
  readonly correlation: Correlation;
}

/**
 * Finds the root service of the signals and the reasons for it.
 *
 * @param signals of one incident, at least one, in any order
 * @throws {RangeError} without signals
 */
export function explainIncident(signals: readonly StoredSignal[], calls: readonly ServiceCall[]): Explanation {
  const ordered = signals.toSorted(byTime);
  const graph = createCallGraph(calls);
  const ranking = rankServices(ordered, graph);
  const [root, ...others] = ranking;
  const touched = ranking.filter((candidate) => candidate === root || candidate.signals.length > 0);
  const confidence = round(rateConfidence(root, others[0]));
  return {
    rootService: root.service,
    title: clip(`${root.service}: ${findBestSignal(root).summary}`, TITLE_LIMIT),
    severity: SEVERITIES.find((severity) => signals.some((signal) => signal.severity === severity)) ?? 'info',
    correlation: {
      method: METHOD,
      confidence,
      services: touched.map(({ service, signals: own, score }) => ({
        name: service,
        signals: own.length,
        is_root: service === root.service,
        score: round(score),
      })),
      edges: findEdges(touched, graph),
      window: findWindow(ordered),
      evidence: describeEvidence(root, others, graph, confidence).map((sentence) => clip(sentence, EVIDENCE_LIMIT)),
    },
  };
}

/** Worst first. */
const SEVERITIES: readonly Severity[] = ['critical', 'error', 'warning', 'info'];
/** Most specific first: a trace names the operation, a log the reason, a metric only the symptom. */
const RANK_BY_TYPE: Readonly<Record<SignalType, number>> = { trace: 0, log: 1, metric: 2 };

/** Among equally specific signals the earliest is chosen, unless another was seen this many times as often. */
const MUCH_MORE_OFTEN = 4;

/**
 * The signal that describes the failure best: the service's own worst signal, or a caller's when it has none. Stable
 * while the counts of equally specific signals change.
 */
function findBestSignal({ signals, complaints }: Candidate): StoredSignal {
  const ranked = (signals.length > 0 ? signals : complaints).toSorted((a, b) => compareSpecific(a, b) || byTime(a, b));
  const equals = ranked.filter((signal) => ranked[0] !== undefined && compareSpecific(signal, ranked[0]) === 0);
  const most = equals.reduce((max, { occurrences }) => Math.max(max, occurrences), 0);
  const best = equals.find(({ occurrences }) => occurrences * MUCH_MORE_OFTEN > most);
  if (best === undefined) {
    throw new RangeError('a candidate has signals or complaints');
  }
  return best;
}

function compareSpecific(a: StoredSignal, b: StoredSignal): number {
  return SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || RANK_BY_TYPE[a.type] - RANK_BY_TYPE[b.type];
}

/** The root's lead over the next candidate. */
function rateConfidence(root: Candidate, next: Candidate | undefined): number {
  const margin = next === undefined ? 1 : (root.score - next.score) / root.score;
  return Math.min(margin, MAX_CONFIDENCE) * (root.signals.length === 0 ? SILENT_ROOT_CONFIDENCE : 1);
}

/** Two decimals. */
function round(share: number): number {
  return Math.round(share * 100) / 100;
}

function findEdges(touched: readonly Candidate[], graph: CallGraph): ServiceCall[] {
  const names = touched.map(({ service }) => service).toSorted();
  return names.flatMap((from) =>
    names.filter((to) => graph.calleesOf(from).has(to)).map((to) => graph.callsBetween(from, to)),
  );
}

function findWindow(signals: readonly StoredSignal[]): Correlation['window'] {
  const from = signals.reduce((first, { observedAt }) => Math.min(first, observedAt.getTime()), Infinity);
  const to = signals.reduce((last, { lastSeenAt }) => Math.max(last, lastSeenAt.getTime()), from);
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

/** The reasons as sentences, the strongest first. */
function describeEvidence(
  root: Candidate,
  others: readonly Candidate[],
  graph: CallGraph,
  confidence: number,
): string[] {
  const next = others[0];
  return [
    describeFailure(root),
    describeVictims(root),
    describeDepth(root, others, graph),
    describeLead(root, others),
    next !== undefined && confidence < UNSURE_BELOW ? `unsure: ${next.service} may be the root too` : '',
  ].filter((sentence) => sentence !== '');
}

function describeFailure(root: Candidate): string {
  const { service, signals, complaints } = root;
  const best = findBestSignal(root);
  if (signals.length === 0) {
    const callers = [...new Set(complaints.map((complaint) => complaint.service))];
    return `${service} reports nothing itself, but calls to it fail in every service that makes them: ${listNames(callers)}`;
  }
  const more = signals.length - 1;
  const times = countOf(countOccurrences([best]), 'time', 'times');
  return `${service}: ${best.summary}, ${times}${more === 0 ? '' : `, and ${countOf(more, 'more signal', 'more signals')}`}`;
}

function describeVictims({ service, explains }: Candidate): string {
  const [fail, their] = explains.length === 1 ? ['fails', 'its'] : ['fail', 'their'];
  return explains.length === 0 ? '' : `${listNames(explains)} ${fail} too, and ${their} calls lead to ${service}`;
}

function describeDepth({ service, isDeepest }: Candidate, others: readonly Candidate[], graph: CallGraph): string {
  const healthy = [...graph.calleesOf(service)].filter((callee) => others.every((other) => other.service !== callee));
  return isDeepest && healthy.length > 0
    ? `no failures in services that ${service} calls: ${listNames(healthy.toSorted())}`
    : '';
}

function describeLead(root: Candidate, others: readonly Candidate[]): string {
  const next = others.toSorted((a, b) => firstSeenAt(a) - firstSeenAt(b))[0];
  const leadMs = next === undefined ? 0 : firstSeenAt(next) - firstSeenAt(root);
  return next === undefined || leadMs <= 0 || root.signals.length === 0
    ? ''
    : `${root.service} failed first, ${formatLead(leadMs)} before ${next.service}`;
}

function formatLead(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toPrecision(2))} s`;
}

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

const MAX_NAMES = 5;

/** `a, b and c`, or the first names and the number of others. */
function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES);
  const more = names.length - shown.length;
  const parts = more === 0 ? shown : [...shown, `${more} more`];
  return parts.length === 1 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
