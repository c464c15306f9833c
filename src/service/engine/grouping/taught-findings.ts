import type { Evidence } from '../../core/evidence.ts';
import { type Lesson, MAX_LESSONS, type Taught, type TaughtFinding } from '../../core/lesson.ts';
import type { Family } from '../../core/telemetry-item.ts';
import { isSignificant, LINES } from '../evidence.ts';
import { CLEARLY_MORE, CLEARLY_MORE_LINES, MINUTE_MS } from './constants.ts';
import type { Incident } from './incident.ts';

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
