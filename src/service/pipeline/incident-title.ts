import { DECLARED } from '../core/declared-signal.ts';
import type { Evidence } from '../core/evidence.ts';
import type { Family, Origin } from '../core/telemetry-item.ts';
import { isSignificant } from '../engine/evidence.ts';
import type { Incident } from '../engine/grouping/incident.ts';
import { mergeSenders } from '../engine/sentences/merge-senders.ts';
import { headlineOf, listOf } from '../engine/sentences/reasons.ts';
import type { StoredFacts } from '../store/incidents/incident-facts.ts';

/** The freshest evidence that requests were lost at the root, whoever reports them. */
export function findHarm(incident: Incident): Evidence | undefined {
  return findAccount(incident, 'harmed_requests');
}

function findAccount({ members, root }: Incident, sort: Family): Evidence | undefined {
  const own = [...members.values()].filter(({ evidence: { family, service } }) => family === sort && service === root);
  return mergeSenders(own).toSorted((a, b) => b.lastAt - a.lastAt)[0]?.evidence;
}

/** What requests say of the root: rather that they were lost than that their callers got over it. */
function findTold(incident: Incident): Evidence | undefined {
  const harmless = (['tolerated_failures', 'lost_time'] as const).map((sort) => findAccount(incident, sort));
  return findHarm(incident) ?? harmless.find((found) => found !== undefined && isSignificant(found));
}

/** Whose calls to the root fail; null: not known. */
export function callerOf(incident: Incident): string | null {
  const told = findTold(incident);
  return told === undefined ? null : (told.lost?.lostAt ?? told.peer);
}

/** Alerts that other systems sent, the first first. What a person declares is none of them. */
export function alertsOf({ members }: Pick<Incident, 'members'>) {
  return [...members.values()]
    .filter(({ evidence: { origin, fingerprint } }) => origin === 'alert' && !fingerprint.startsWith(`${DECLARED}|`))
    .toSorted((a, b) => a.firstAt - b.firstAt)
    .map(({ evidence: { service, subject, place = null } }) => ({ service, summary: subject, place }));
}

/** `db-1 (/mnt/a and /mnt/b)`: the root, and where in it alerts fire. */
function placedRoot(incident: Incident, summary: string): string {
  const { root } = incident;
  const own = alertsOf(incident).flatMap(({ service, place }) => (service === root && place !== null ? [place] : []));
  const places = [...new Set(own)];
  return places.every((place) => summary.includes(place)) ? root : `${root} (${listOf(places)})`;
}

/**
 * The root's own signal says best what failed. A service that is slow or sends nothing is known by its requests, with the error
 * that its caller met, and one whose metrics alone opened the incident by these: what else it sends may have other causes.
 */
export function titleOf(
  incident: Incident,
  { rootSummary, callerSummary }: StoredFacts,
  sentences: readonly string[],
): string {
  const { root } = incident;
  const told = findTold(incident);
  if (told !== undefined && (rootSummary === null || told.lost?.kind !== 'error')) {
    const headline = headlineOf(told);
    return `${root}: ${headline}${headline.endsWith(' fail') ? errorIn(callerSummary ?? '') : ''}`;
  }
  if (rootSummary === null || (told === undefined && isMeasured(incident))) {
    return sentences[0] ?? `${root} fails`;
  }
  const placed = placedRoot(incident, rootSummary);
  if (beginsWith(rootSummary, root)) {
    return `${placed}${rootSummary.slice(root.length)}`;
  }
  // What nothing but its name and place identifies is called by both.
  const [name = ''] = rootSummary.split(': ', 1);
  return root.startsWith(`${name} `) ? `${placed}${rootSummary.slice(name.length)}` : `${placed}: ${rootSummary}`;
}

/** " (connection refused)": the error at the end of the summary of a failed span; empty: it has none. */
function errorIn(summary: string): string {
  return / \((?:[^()]|\([^()]*\))+\)$/.exec(summary)?.[0] ?? '';
}

/** Whether metrics of the root are beyond chance, and no line or alert of it is. */
function isMeasured({ members, root }: Incident): boolean {
  const sure = [...members.values()].filter(({ evidence }) => evidence.service === root && isSignificant(evidence));
  return (
    sure.some(({ evidence }) => evidence.origin === 'metric') &&
    sure.every(({ evidence }) => !SAID.has(evidence.origin))
  );
}

/** Its sender says by itself that something is wrong. */
const SAID: ReadonlySet<Origin> = new Set(['log', 'alert']);

/** Alerts often begin with the service, or are called by their own name: `checkout is down`. */
function beginsWith(summary: string, root: string): boolean {
  return summary.startsWith(root) && /^(?:[:\s]|$)/.test(summary.slice(root.length));
}
