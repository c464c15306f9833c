import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../contract/actor.ts';
import type { IncidentEventType } from '../../contract/events.ts';
import type { RootChange } from '../../contract/resources.ts';
import { showByHand } from '../core/by-hand.ts';
import type { Incident, TimelineMoment } from '../core/incident.ts';
import { mergeNote } from '../core/incident-changes.ts';
import { lastingStateOf, updateOf } from '../core/incident-event.ts';
import { recurrenceMoment } from '../core/recurrence.ts';
import { clip } from '../core/text.ts';
import type { EngineState } from '../engine/engine.ts';
import type { Edge } from '../engine/graph/call-graph.ts';
import type { CorrelationEvent } from '../engine/grouping/correlation-state.ts';
import type { Activity, Incident as EngineIncident } from '../engine/grouping/incident.ts';
import { taughtByIncident } from '../engine/grouping/taught.ts';
import { reasonsFor } from '../engine/sentences/reasons.ts';
import type { StoredFacts } from '../store/incidents/incident-facts.ts';
import { type Explanation, explainIncident } from './explain-incident.ts';

const MAX_ROOT_CHANGES = 10;
const BECAUSE_LIMIT = 300;
/** While nothing else changes, an event says at most this often that the failure is still seen. */
const SEEN_AGAIN_MS = 60_000;
/** The same in the first minute, in which the harm grows most. */
const SEEN_AGAIN_AT_FIRST_MS = 15_000;

/** Input of an update besides the incident. */
export interface UpdateContext {
  readonly state: EngineState;
  readonly facts: ReadonlyMap<string, StoredFacts>;
  readonly events: readonly CorrelationEvent[];
  /** By ordinal. */
  readonly stored: ReadonlyMap<number, Incident>;
  readonly senders: ReadonlyMap<string, string>;
  /** Numbers of earlier incidents of the same failure, by ordinal, see `similar`. */
  readonly similar: ReadonlyMap<number, readonly number[]>;
  /** By the ids of lessons, see `readTeachers`. */
  readonly teachers: ReadonlyMap<string, Actor>;
  /** Between all services, see `usualCalls`; once for all incidents. */
  readonly calls: readonly Edge[];
  readonly now: Date;
}

/** A closed incident keeps its explanation; only its counts and times change. */
export function updateIncident(known: Incident, incident: EngineIncident, context: UpdateContext): Incident {
  const { state, events, stored, senders, teachers, calls, now } = context;
  const facts = context.facts.get(known.id);
  const seen = {
    activity: activityOf(incident, facts),
    // It may have been seen last before it was stored.
    activeSince: new Date(Math.max(incident.activeSince, known.openedAt.getTime())),
    lastSeenAt: lastSeenAt(known, incident),
  };
  const into = holderOf(incident, events, stored);
  if (into !== undefined) {
    const closing = known.closing ?? { note: mergeNote(into), by: null, at: now };
    return { ...known, ...seen, mergedInto: into.id, closing };
  }
  // An incident that was forgotten and reopened has no evidence yet.
  if (facts === undefined || incident.members.size === 0) {
    return { ...known, ...seen };
  }
  const { floodOf } = incident;
  const sender = floodOf === null ? null : (senders.get(floodOf) ?? 'one sender');
  const { teachableRoots, ...explained } = explainIncident(incident, state, facts, sender, calls, teachers);
  const { labels, links, traceId, integrations, soleIntegration } = facts;
  const counted = {
    signalCounts: facts.signalCounts,
    signalsEndedAt: facts.endedAt,
    labels,
    links,
    traceId: known.traceId ?? traceId,
    integrations,
    soleIntegration,
  };
  if (known.closing !== null) {
    return { ...known, ...seen, ...counted };
  }
  const changes = events.flatMap((event) =>
    event.type === 'root_changed' && event.incident === incident ? [event] : [],
  );
  const rootChanges = [
    ...known.rootChanges,
    ...shownChanges(
      known,
      explained,
      changes.map((change) => describeChange(change)),
      now,
    ),
  ];
  const previousIncidentId = stored.get(incident.previous ?? 0)?.id ?? known.previousIncidentId;
  return showByHand({
    ...known,
    ...seen,
    ...counted,
    ...explained,
    teachable: [...taughtByIncident(incident), ...teachableRoots],
    previousIncidentId,
    similarNumbers: context.similar.get(incident.number) ?? [],
    rootChanges: rootChanges.slice(-MAX_ROOT_CHANGES),
  });
}

/** What answers well says nothing about a failure that a person declared and nothing measures. */
function activityOf({ activity }: EngineIncident, facts: StoredFacts | undefined): Activity {
  return activity === 'recovered' && facts?.isOnlyDeclared === true ? 'quiet' : activity;
}

/** The incident that another was merged into. A merge by a person is stored already, and may have been taken back since. */
export function holderOf(
  { number, mergedInto }: EngineIncident,
  events: readonly CorrelationEvent[],
  stored: ReadonlyMap<number, Incident>,
): Incident | undefined {
  const isDecided = events.some(
    (event) => event.type === 'merged' && event.isDecided && event.incident.number === number,
  );
  return isDecided && stored.get(number)?.mergedInto === null ? undefined : stored.get(mergedInto ?? 0);
}

/** For a closed incident, by what happened since: an account reports what it lost for a minute more. */
function lastSeenAt(known: Incident, { lastAt, members }: EngineIncident): Date {
  if (known.closing === null) {
    return new Date(lastAt);
  }
  let seen = known.lastSeenAt.getTime();
  for (const { seenAt } of members.values()) {
    seen = Math.max(seen, seenAt);
  }
  return new Date(seen);
}

/** Changes of the root that people see: a taught root stays while the found one changes. */
function shownChanges(
  known: Incident,
  { rootService: to, correlation }: Pick<Explanation, 'rootService' | 'correlation'>,
  found: readonly RootChange[],
  now: Date,
): RootChange[] {
  const isTaught = known.correlation.taught_root !== undefined || correlation.taught_root !== undefined;
  const from = known.found.rootService ?? known.rootService;
  if (!isTaught || known.correlation.method === '') {
    return isTaught ? [] : [...found];
  }
  const [because = ''] = correlation.evidence;
  return from === to ? [] : [{ at: now.toISOString(), from, to, because: clip(because, BECAUSE_LIMIT) }];
}

function describeChange({ at, from, incident }: Extract<CorrelationEvent, { type: 'root_changed' }>): RootChange {
  const [reason] = reasonsFor(incident.root, incident.members.values());
  return {
    at: new Date(at).toISOString(),
    from,
    to: incident.root,
    because: clip(reason?.text ?? '', BECAUSE_LIMIT),
  };
}

/** Whether subscribers get an event: it is new, its state differs, or its failure was seen again after a while. */
export function hasChanged(before: Incident | undefined, after: Incident): boolean {
  if (before === undefined) {
    return true;
  }
  const isYoung = before.updatedAt.getTime() - before.openedAt.getTime() < SEEN_AGAIN_MS;
  const pauseMs = isYoung ? SEEN_AGAIN_AT_FIRST_MS : SEEN_AGAIN_MS;
  const isSeenAgain = after.lastSeenAt.getTime() - before.updatedAt.getTime() >= pauseMs;
  const { lastSeenAt } = before;
  return isSeenAgain || !isDeepStrictEqual(lastingStateOf(before), lastingStateOf({ ...after, lastSeenAt }));
}

export function typeOf(before: Incident | undefined, after: Incident): IncidentEventType {
  if (before === undefined) {
    return 'incident.opened';
  }
  return before.closing === null && after.closing !== null ? 'incident.closed' : updateOf(before, after);
}

/** Timeline entries for automatic changes: a recurrence or a merge. */
export function momentsOf(
  before: Incident | undefined,
  after: Incident,
  stored: ReadonlyMap<number, Incident>,
  at: Date,
): (TimelineMoment & { readonly incidentId: string })[] {
  const recurred = recurrenceMoment(before, after, at);
  if (after.mergedInto === null || after.mergedInto === before?.mergedInto) {
    return recurred === null ? [] : [{ ...recurred, incidentId: after.id }];
  }
  const into = [...stored.values()].find(({ id }) => id === after.mergedInto);
  const merged = { at, event: 'merged', by: null } as const;
  const closed = { at, event: 'closed', by: null, text: after.closing?.note ?? null } as const;
  return [
    { ...merged, incidentId: after.id, text: `#${into?.number ?? '?'}` },
    { ...merged, incidentId: after.mergedInto, text: `#${after.number}` },
    ...(before?.closing === null ? [{ ...closed, incidentId: after.id }] : []),
  ];
}

/** The splits that correlation made, each once. Those that a person decided are in the timelines already. */
export function splitMoments(
  events: readonly CorrelationEvent[],
  stored: ReadonlyMap<number, Incident>,
  at: Date,
): (TimelineMoment & { readonly incidentId: string })[] {
  const pairs = new Map<string, readonly [Incident, Incident]>();
  for (const event of events) {
    if (event.type === 'split' && !event.isDecided) {
      const [to, from] = [stored.get(event.incident.number), stored.get(event.from.number)];
      if (to !== undefined && from !== undefined) {
        pairs.set(`${to.id} ${from.id}`, [to, from]);
      }
    }
  }
  const split = { at, event: 'split', by: null } as const;
  return [...pairs.values()].flatMap(([to, from]) => [
    { ...split, incidentId: to.id, text: `#${from.number}` },
    { ...split, incidentId: from.id, text: `#${to.number}` },
  ]);
}
