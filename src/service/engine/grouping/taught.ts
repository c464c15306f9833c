import { hasMostlyFailed } from '../../../incident/harm.ts';
import type { Evidence } from '../../core/evidence.ts';
import { type Lesson, MAX_LESSONS, type Taught, type TaughtFinding, type TaughtRoot } from '../../core/lesson.ts';
import type { Family } from '../../core/telemetry-item.ts';
import { MINUTE_MS } from '../constants.ts';
import { isSignificant, LINES } from '../evidence.ts';
import { type Neighbours, within } from '../graph/call-graph.ts';
import { isCausedByCallee } from '../ranking/rank.ts';
import { MAX_HOPS, worthOf } from '../ranking/weights.ts';
import { CLEARLY_MORE, CLEARLY_MORE_LINES, CLEARLY_WORSE, MAX_KINDS, MOST_SHOWN } from './constants.ts';
import type { Incident, Member } from './incident.ts';

/** A lesson about an error line or a metric. */
type FindingLesson = Lesson & { readonly taught: TaughtFinding };

/**
 * Findings that can be taught. Lines and steps that stopped cannot, because nothing would be clearly more than that.
 * Alerts are judged by their sender.
 */
const TEACHABLE: ReadonlySet<Family> = new Set([
  ...LINES,
  'resource',
  'latency_metric',
  'failure_metric',
  'requests_stopped',
]);

/** The last lesson about a finding, whatever its size. */
export function lessonAbout(
  lessons: Iterable<Lesson>,
  { service, family, subject, at }: Evidence,
): FindingLesson | undefined {
  const kindOf = (each: Family) => (LINES.has(each) ? 'line' : each);
  return [...lessons]
    .filter(isAboutFinding)
    .findLast(
      ({ taught, until }) =>
        at < until &&
        taught.service === service &&
        taught.subject === subject &&
        kindOf(taught.family) === kindOf(family),
    );
}

function isAboutFinding(lesson: Lesson): lesson is FindingLesson {
  return lesson.taught.kind === 'finding';
}

/** Whether a finding is not clearly more than what was taught to be no problem. */
export function isTaught(lessons: ReadonlyMap<string, Lesson>, evidence: Evidence): boolean {
  if (lessons.size === 0 || !TEACHABLE.has(evidence.family)) {
    return false;
  }
  const lesson = lessonAbout(lessons.values(), evidence);
  const factor = LINES.has(evidence.family) ? CLEARLY_MORE_LINES : CLEARLY_MORE;
  return lesson !== undefined && sizeOf(evidence) <= factor * lesson.taught.size;
}

/** What closing an incident as "not a problem" teaches: its lost requests, and the findings in it. */
export function taughtByIncident({ members, root, otherRoots }: Incident): Taught[] {
  const all = [...members.values()];
  const requests = all.flatMap(({ evidence: { service }, teaches }) =>
    teaches !== null && (service === root || otherRoots.has(service)) ? [teaches] : [],
  );
  const findings = all
    .map(({ evidence, lastAt }) => ({ ...evidence, at: Math.max(evidence.at, lastAt) })) // a stop grows as long as it lasts
    .filter(isSignificant)
    .filter(({ family, origin }) => TEACHABLE.has(family) && origin !== 'alert')
    .map((evidence): TaughtFinding => {
      const { service, family, subject } = evidence;
      return { kind: 'finding', service, family, subject, size: sizeOf(evidence) };
    });
  return [...requests, ...findings].slice(0, MAX_LESSONS);
}

/** For a line, how often in the last minute; for a metric, its distance from the usual; for a stop, its minutes. */
function sizeOf({ family, now, usual, count, at, since = at }: Evidence): number {
  if (family === 'requests_stopped') {
    return (at - since) / MINUTE_MS;
  }
  return LINES.has(family) ? now * count : Math.abs(now - usual);
}

/** A lesson about which of two services is the root. */
export type RootLesson = Lesson & { readonly taught: TaughtRoot };

/** A root that people taught, in place of the found one. Grouping goes on with the found one. */
export interface LearntRoot {
  readonly root: string;
  readonly lesson: RootLesson;
  /** 0 to 1, from how often people said so: Laplace's rule of succession. */
  readonly confidence: number;
}

type Ranked = Pick<Incident, 'number' | 'root' | 'members' | 'lastAt'>;

/** The lesson that decides between the found root and another service of the incident, if any. The newest counts. */
export function learntRoot(
  { number, root: found, members, lastAt }: Ranked,
  lessons: Iterable<Lesson>,
): LearntRoot | null {
  const all = [...members.values()];
  const fitting = [...lessons].filter(isAboutRoot).filter(({ incident, until, taught }) => {
    const isOfFound = taught.found === found || taught.root === found;
    return incident !== number && lastAt < until && isOfFound && isLike(taught, all);
  });
  const lesson = fitting.at(-1);
  if (lesson === undefined || lesson.taught.root === found) {
    return null;
  }
  const { root } = lesson.taught;
  const ofPair = fitting.filter(({ taught }) => taught.found === root || taught.root === root);
  const agreeing = ofPair.filter(({ taught }) => taught.root === root);
  return { root, lesson, confidence: (agreeing.length + 1) / (ofPair.length + 2) };
}

/**
 * What setting another root than the shown one teaches, for each service that has evidence in the incident.
 *
 * @param shown the root that people see: the found one, or one that was taught
 */
export function taughtByRoots(
  { root, members }: Pick<Ranked, 'root' | 'members'>,
  shown: string,
  graph: Neighbours,
): TaughtRoot[] {
  const all = [...members.values()];
  const foundShows = kindsOf(evidenceAt(shown, all));
  const callers = within(root, graph.callers, MAX_HOPS);
  const others = new Set([root, ...all.map(({ evidence }) => evidence.service)]);
  others.delete(shown);
  return [...others]
    .flatMap((service): TaughtRoot[] => {
      const shows = evidenceAt(service, all);
      // What the failure of the root causes at its callers says something about them only if they show nothing else.
      const own = shows.filter(
        (evidence) =>
          evidence.family === 'change' ||
          (isSignificant(evidence) && !(callers.has(service) && isCausedByCallee(evidence.family))),
      );
      const rootShows = kindsOf(own.length > 0 ? own : shows);
      const taught = { found: shown, foundShows, foundShare: lostShare(shown, all), root: service, rootShows };
      return foundShows.length === 0 || rootShows.length === 0 ? [] : [{ kind: 'root', ...taught }];
    })
    .slice(0, MOST_SHOWN);
}

/** Whether both services show some of what they showed when it was taught, and the found one is not clearly worse. */
function isLike({ found, foundShows, foundShare, root, rootShows }: TaughtRoot, all: readonly Member[]): boolean {
  const isShownAt = (service: string, then: readonly string[]) =>
    evidenceAt(service, all).some((evidence) => then.includes(kindOf(evidence)));
  return (
    isShownAt(found, foundShows) && isShownAt(root, rootShows) && lostShare(found, all) <= CLEARLY_WORSE * foundShare
  );
}

function isAboutRoot(lesson: Lesson): lesson is RootLesson {
  return lesson.taught.kind === 'root';
}

/** The most telling first. */
function evidenceAt(service: string, all: readonly Member[]): Evidence[] {
  return all
    .map(({ evidence }) => evidence)
    .filter((evidence) => evidence.service === service && evidence.family !== 'traffic_drop')
    .toSorted((a, b) => worthOf(b) - worthOf(a) || (a.fingerprint < b.fingerprint ? -1 : 1));
}

/** Share of its requests that a service lost, 0 to 1; 0: it is not known to have lost any. */
function lostShare(service: string, all: readonly Member[]): number {
  return Math.max(
    0,
    ...evidenceAt(service, all).map(({ lost }) =>
      lost === undefined ? 0 : lost.requests / Math.max(lost.total, lost.requests, 1),
    ),
  );
}

function kindsOf(all: readonly Evidence[]): string[] {
  return [...new Set(all.map((each) => kindOf(each)))].slice(0, MAX_KINDS);
}

/** `failed requests`, `the line "connection refused"`: equal for the same kind of failure, whatever its size. */
function kindOf({ family, subject, lost }: Evidence): string {
  switch (family) {
    case 'harmed_requests':
    case 'tolerated_failures':
    case 'lost_time':
      return lost === undefined || hasMostlyFailed(lost) ? 'failed requests' : 'slow requests';
    case 'error_log':
    case 'new_error_log':
      return `the line "${subject}"`;
    case 'latency_metric':
    case 'failure_metric':
    case 'traffic_drop':
    case 'resource':
    case 'alert':
      return `${KINDS[family]} ${subject}`;
    case 'requests_stopped':
    case 'failed_calls':
    case 'log_stopped':
    case 'step_stopped':
    case 'self_time':
    case 'network_gap':
    case 'slow_trace':
    case 'change':
      return KINDS[family];
  }
}

const KINDS = {
  latency_metric: 'the latency',
  failure_metric: 'the failures',
  traffic_drop: 'the traffic',
  resource: 'the reading',
  alert: 'the alert',
  requests_stopped: 'requests that stopped',
  failed_calls: 'failed calls',
  log_stopped: 'lines that stopped',
  step_stopped: 'steps that stopped',
  self_time: 'slowness of its own',
  network_gap: 'a slow network',
  slow_trace: 'slow operations',
  change: 'a deployment',
} as const satisfies Partial<Record<Family, string>>;
