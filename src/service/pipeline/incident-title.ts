import type { Evidence, Family, Origin } from '../core/telemetry-item.ts';
import { isSignificant } from '../engine/evidence.ts';
import type { Incident } from '../engine/grouping/incident.ts';
import { headlineOf } from '../engine/sentences/reasons.ts';
import { together } from '../engine/sentences/together.ts';
import type { StoredFacts } from '../store/incidents/incident-facts.ts';

/** The freshest evidence that requests were lost at the root, whoever reports them. */
export function findHarm(incident: Incident): Evidence | undefined {
  return findAccount(incident, 'harmed_requests');
}

function findAccount({ members, root }: Incident, sort: Family): Evidence | undefined {
  const own = [...members.values()].filter(({ evidence: { family, service } }) => family === sort && service === root);
  return together(own).toSorted((a, b) => b.lastAt - a.lastAt)[0]?.evidence;
}

/** What requests say of the root: rather that they were lost than that their callers got over it. */
function findTold(incident: Incident): Evidence | undefined {
  const harmless = (['tolerated_failures', 'lost_time'] as const).map((sort) => findAccount(incident, sort));
  return findHarm(incident) ?? harmless.find((found) => found !== undefined && isSignificant(found));
}

/**
 * The root's own signal says best what failed. A service that is slow or sends nothing is known by its requests, and one whose
 * metrics alone opened the incident by these: what else it sends may have other causes.
 */
export function titleOf(incident: Incident, { rootSummary }: StoredFacts, sentences: readonly string[]): string {
  const { root } = incident;
  const told = findTold(incident);
  if (told !== undefined && (rootSummary === null || told.lost?.kind !== 'error')) {
    return `${root}: ${headlineOf(told)}`;
  }
  if (rootSummary === null || (told === undefined && isMeasured(incident))) {
    return sentences[0] ?? `${root} fails`;
  }
  return beginsWith(rootSummary, root) ? rootSummary : `${root}: ${rootSummary}`;
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
