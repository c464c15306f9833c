import { deployedBy } from '../../../incident/deploys.ts';
import { hasMostlyFailed } from '../../../incident/harm.ts';
import type { Evidence } from '../../core/evidence.ts';
import type { Fate, Lost } from '../../core/telemetry-item.ts';
import { readable } from '../../core/text.ts';
import { MINUTE_MS } from '../constants.ts';
import { isHarm, isSignificant } from '../evidence.ts';
import { firstFailureOf, type Incident, type Member } from '../grouping/incident.ts';
import { worthOf } from '../ranking/weights.ts';
import { mergeSenders } from './merge-senders.ts';

export interface Reason {
  /** One sentence with numbers. */
  readonly text: string;
  readonly fingerprint: string;
}

const MAX_REASONS = 5;
const SHOWN_SUBJECT = 120;

/** Reasons why a service is taken for the root, the most telling one first. */
export function reasonsFor(root: string, members: Iterable<Member>): Reason[] {
  const all = [...members];
  const firstFailure = firstFailureOf(all);
  const own = all.filter(({ evidence }) => evidence.service === root || evidence.peer === root);
  return mergeSenders(own)
    .toSorted((a, b) => worthOf(b.evidence) - worthOf(a.evidence) || a.firstAt - b.firstAt)
    .slice(0, MAX_REASONS)
    .map(({ evidence, firstAt }) => ({
      text: sentenceOf(evidence, Math.min(firstAt, firstFailure)),
      fingerprint: evidence.fingerprint,
    }));
}

export interface FailedCalls {
  readonly caller: string;
  readonly callee: string;
  readonly failed: number;
  readonly calls: number;
}

/** Which calls fail, the most failures first. */
export function impactOf(members: Iterable<Member>): FailedCalls[] {
  const calls = [...members].filter(({ evidence: { family, peer } }) => family === 'failed_calls' && peer !== null);
  return mergeSenders(calls)
    .map(({ evidence: { service, peer, now, count } }) => ({
      caller: service,
      callee: peer ?? '',
      failed: Math.round(now * count),
      calls: count,
    }))
    .toSorted((a, b) => b.failed - a.failed || (a.caller < b.caller ? -1 : 1));
}

function sentenceOf(evidence: Evidence, firstAt: number): string {
  const { family, service, peer, at, subject } = evidence;
  if (family === 'change') {
    return `${service} ${subject} ${deployedBy(firstAt - at)} the first failure`;
  }
  const who = family === 'failed_calls' ? [service, peer].filter((end) => end !== null) : [service];
  return `${who.join(' -> ')}: ${describe(evidence)}`;
}

/** Hints whether requests stopped, or only their telemetry. */
const MEANWHILE = {
  nothing: ', nor anything else: perhaps its telemetry does not arrive',
  'requests behind it': ', but services behind it get some: it hangs, or its telemetry does not arrive',
} as const;

function describeStop({ also = [], usual, meanwhile }: Evidence): string {
  const others = also.length === 0 ? '' : ` (nor of ${listOf(also)})`;
  const more = meanwhile === undefined ? '' : MEANWHILE[meanwhile];
  return `no request is reported any more${others}, usually ${reading(usual)} a minute${more}`;
}

/** Describes a finding, without the name of its service. */
export function describe(evidence: Evidence): string {
  const { family, peer, subject: text, example = text, now, usual, isShare = false, count, lost } = evidence;
  const subject = readable(example).slice(0, SHOWN_SUBJECT);
  switch (family) {
    case 'harmed_requests':
    case 'tolerated_failures':
    case 'lost_time':
      return lost === undefined ? 'requests are lost here' : describeLost(lost, evidence);
    case 'requests_stopped':
      return describeStop(evidence);
    case 'failed_calls':
      return `${peer === null ? `${subject}: ` : ''}${Math.round(now * count).toLocaleString('en')} of ${count.toLocaleString('en')} calls failed within a minute`;
    case 'new_error_log':
      return `new error: ${subject}`;
    case 'error_log':
      return `error more often (${percent(now)}, usually ${percent(usual)}): ${subject}`;
    case 'log_stopped':
      return `no longer logs what it always did (${percent(now)}, usually ${percent(usual)}): ${subject}`;
    case 'step_stopped':
      return `no longer does what it always did (${percent(now)}, usually ${percent(usual)}): ${subject}`;
    case 'self_time':
      return `${subject} takes ${milliseconds(now)} by itself, usually ${milliseconds(usual)}`;
    case 'network_gap':
      return `${milliseconds(now)} are lost on the way to ${peer ?? 'its callees'}, usually ${milliseconds(usual)}`;
    case 'latency_metric':
      return `${subject} is ${milliseconds(1_000 * now)}, usually ${milliseconds(1_000 * usual)}`;
    case 'resource':
    case 'failure_metric':
    case 'traffic_drop':
      return isShare
        ? `${subject} is ${percent(now)}, usually ${percent(usual)}`
        : `${subject} is ${reading(now)}, usually ${reading(usual)}`;
    case 'change':
    case 'alert':
    case 'slow_trace':
      return subject;
  }
}

/**
 * Says what fails at a place: `calls from web fail`. Without numbers, so that it stays the same during the failure. Of a place that
 * sends no telemetry only its calls are known.
 */
export function headlineOf({ family, lost, peer, subject }: Evidence): string {
  const isFailing = family === 'tolerated_failures' || lost === undefined || hasMostlyFailed(lost);
  if (lost?.lostAt !== undefined) {
    return `${callsOf(lost, lost.lostAt)} ${isFailing ? 'fail' : 'are slow'}`;
  }
  switch (lost?.kind) {
    case 'silent':
      return `calls ${peer === null ? 'to it' : `from ${peer}`} ${isFailing ? 'fail' : 'are slow'}`;
    case 'way':
      return isFailing
        ? `its answers do not reach ${peer ?? 'its callers'}`
        : `requests ${peer === null ? '' : `from ${peer} `}are slow on the way to it`;
    case 'rejected':
      return `${subject === '' ? 'it' : readable(subject)} is rejected`;
    case 'self':
    case 'error':
    case undefined:
      return `${subject === '' ? 'it' : readable(subject)} ${isFailing ? 'fails' : 'is slow'}`;
  }
}

/** `412 of 900 requests failed here in 4 min`. Without the present rate, which is shown with the harm. */
function describeLost(lost: Lost, evidence: Evidence): string {
  const { kind, requests, total, extraMs, failed, lostAt } = lost;
  const { family, peer, at, since = at } = evidence;
  const many = `${requests.toLocaleString('en')} of ${Math.max(total, requests).toLocaleString('en')} requests`;
  const isFailing = hasMostlyFailed(lost);
  const minutes = Math.round((at - since) / MINUTE_MS);
  const period = minutes > 0 ? ` in ${minutes} min` : '';
  if (family === 'tolerated_failures') {
    return `${many}${peer === null ? '' : ` of ${peer}`} met a failure here${period}, which its caller got over`;
  }
  if (kind === 'silent' || lostAt !== undefined) {
    const calls = lostAt === undefined ? `calls ${peer === null ? 'to it' : `from ${peer}`}` : callsOf(lost, lostAt);
    return failed === 0
      ? `${milliseconds(extraMs)} longer than usual in ${calls}, in ${many}${period}`
      : `${many} ${isFailing ? 'failed' : 'were slow'} in ${calls}${period}`;
  }
  if (kind === 'rejected') {
    return `${many} were rejected here${period}`;
  }
  if (kind === 'way' && failed === 0) {
    return `${milliseconds(extraMs)} are lost between ${peer ?? 'its callers'} and here, in ${many}${period}`;
  }
  const where = evidence.instance === null ? 'here' : `in ${evidence.instance} alone`;
  return isFailing
    ? `${many} failed ${where}${period}`
    : `${milliseconds(extraMs)} longer than usual ${where}, in ${many}${period}`;
}

/** The lost calls between a root and the place that lost them. */
function callsOf({ kind }: Lost, lostAt: string): string {
  return kind === 'silent' || kind === 'way' ? `its calls to ${lostAt}` : `calls from ${lostAt}`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function milliseconds(value: number): string {
  return `${value < 10 ? value.toPrecision(2) : Math.round(value)} ms`;
}

/** Histograms count values up to this as zero. */
const ZERO = 1e-4;

function reading(value: number): string {
  if (value >= 100) {
    return Math.round(value).toLocaleString('en');
  }
  return value <= ZERO ? '0' : String(Number(value.toPrecision(2)));
}

/** Describes what the services that lose requests have in common. */
export interface FateSentences {
  /** `node-7: 5 services lose requests there only` */
  readonly headline: string;
  /** `orders, payments, users and 2 more lose requests on host node-7 only` */
  readonly reason: string;
}

/** null: the failure is that of one service. */
export function fateSentences({ fate, members }: Pick<Incident, 'fate' | 'members'>): FateSentences | null {
  const lost = [...members.values()].flatMap(({ evidence }) =>
    evidence.fate !== undefined && isSignificant(evidence) ? [evidence] : [],
  );
  const services = [...new Set(lost.map(({ service }) => service))].toSorted();
  if (fate === null || services.length < 2) {
    return null;
  }
  const where = `${fate.attribute} ${fate.value}`;
  const who = listOf(services);
  const what = lossOf(lost);
  if (fate.attribute === 'server') {
    return {
      headline: `${fate.value}: calls to ${services.length} parts of it ${isFailing(lost) ? 'fail' : 'are slow'}`,
      reason: `${who} ${what} at once, and all are parts of ${fate.value}`,
    };
  }
  return fate.isSilent
    ? {
        headline: `${fate.value} does not answer: ${services.length} services ${what}`,
        reason: `${who} no longer answer from ${where}, and ${what} since`,
      }
    : {
        headline: `${fate.value}: ${services.length} services ${what} there only`,
        reason: `${who} ${what} ${PREPOSITIONS[fate.attribute]} ${where} only`,
      };
}

const PREPOSITIONS = { pod: 'in', host: 'on', zone: 'in', region: 'in' } as const satisfies Partial<
  Record<Fate['attribute'], string>
>;

function isFailing(evidence: readonly Evidence[]): boolean {
  return evidence.some(({ lost }) => lost !== undefined && hasMostlyFailed(lost));
}

function lossOf(lost: readonly Evidence[]): string {
  if (lost.some(isHarm)) {
    return 'lose requests';
  }
  return lost.some(({ family }) => family === 'tolerated_failures') ? 'fail' : 'are slow';
}

const SHOWN_SERVICES = 3;

/** `orders`, `orders and users`, `orders, payments, users and 2 more` */
export function listOf(services: readonly string[]): string {
  const more = services.length - SHOWN_SERVICES;
  if (more > 1) {
    return `${services.slice(0, SHOWN_SERVICES).join(', ')} and ${more} more`;
  }
  return services.length < 2 ? services.join('') : `${services.slice(0, -1).join(', ')} and ${services.at(-1)}`;
}
