import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from 'kysely';
import type { IncidentEventType } from '../../contract/events.ts';
import type { RootChange } from '../../contract/resources.ts';
import { type Incident, newIncident } from '../core/incident.ts';
import { stateOf } from '../core/incident-event.ts';
import { clip } from '../core/text.ts';
import type { EngineState } from '../correlation/engine.ts';
import type { CorrelationEvent } from '../correlation/grouping/correlation-state.ts';
import type { Incident as EngineIncident } from '../correlation/grouping/incident.ts';
import { similar } from '../correlation/grouping/similar.ts';
import { reasonsFor } from '../correlation/ranking/reasons.ts';
import { appendEvents } from '../store/event-store.ts';
import { readFacts, type StoredFacts } from '../store/incident-facts.ts';
import {
  assignSignals,
  findClosed,
  findSenderNames,
  lockIncidents,
  type Membership,
  moveSignals,
  saveIncidents,
} from '../store/incident-writer.ts';
import type { ServiceTables } from '../store/tables.ts';
import type { Tick } from '../store/telemetry-log.ts';
import { writeSignals } from '../store/write-signals.ts';
import { explainIncident } from './explain-incident.ts';
import { signalsOf, toFindingSignal } from './finding-signal.ts';
import type { Outcome } from './replay.ts';

type Tx = Transaction<ServiceTables>;

const MAX_ROOT_CHANGES = 10;
const BECAUSE_LIMIT = 300;
/** What evidence stands on was seen at most this long before it: a window, and what arrives late. */
const EVIDENCE_SPAN_MS = 3 * 60_000;
/** While nothing else changes, people are told at most this often that the failure is still seen. */
const SEEN_AGAIN_MS = 60_000;

/** Incidents that correlation still follows and that were closed since it knew. */
export function findClosedIncidents(tx: Tx, { correlation: { live } }: EngineState): Promise<Tick['closed']> {
  const open = [...live.byNumber.values()].filter(({ closedAt }) => closedAt === null);
  return open.length === 0
    ? Promise.resolve([])
    : findClosed(
        tx,
        open.map(({ number }) => number),
      );
}

export interface OpenedIncidents {
  readonly ids: readonly string[];
  /** How many of them hold what is beyond a sender's limit. */
  readonly floods: number;
}

export const NONE_OPENED: OpenedIncidents = { ids: [], floods: 0 };

/** Stores what correlation came to. It remembers what it has stored, so that only changes are written. */
export interface IncidentWriter {
  /** Everything up to this state is stored. */
  restart(state: EngineState): void;
  write(tx: Tx, state: EngineState, outcome: Outcome, now: Date): Promise<OpenedIncidents>;
}

export function createIncidentWriter(): IncidentWriter {
  /** When the evidence that is stored was found, by number. */
  const storedUpTo = new Map<number, number>();

  return {
    restart({ correlation: { live } }) {
      storedUpTo.clear();
      for (const { number, lastAt } of live.byNumber.values()) {
        storedUpTo.set(number, lastAt);
      }
    },

    async write(tx, state, { events, evidence }, now) {
      const { live } = state.correlation;
      await writeSignals(
        tx,
        evidence.flatMap((found) => toFindingSignal(found) ?? []),
        now,
      );
      const grown = [...live.byNumber.values()].filter(({ number, lastAt }) => lastAt > (storedUpTo.get(number) ?? 0));
      const changed = [...new Set([...events.flatMap(incidentsOf), ...grown])];
      if (changed.length === 0) {
        return NONE_OPENED;
      }
      const opened = await store(tx, state, { events, evidence }, changed, now);
      for (const { number, lastAt } of changed) {
        storedUpTo.set(number, lastAt);
      }
      for (const number of storedUpTo.keys()) {
        if (!live.byNumber.has(number)) {
          storedUpTo.delete(number);
        }
      }
      return opened;
    },
  };
}

/** A merged incident and one that was split have changed on both sides. */
function incidentsOf(event: CorrelationEvent): EngineIncident[] {
  switch (event.type) {
    case 'merged':
      return [event.incident, event.into];
    case 'split':
      return [event.incident, event.from];
    case 'opened':
    case 'joined':
    case 'root_changed':
    case 'activity':
      return [event.incident];
  }
}

async function store(
  tx: Tx,
  state: EngineState,
  { events, evidence }: Outcome,
  changed: readonly EngineIncident[],
  now: Date,
): Promise<OpenedIncidents> {
  const numbers = changed.flatMap(({ number, previous, mergedInto }) => [number, previous ?? 0, mergedInto ?? 0]);
  const before = await lockIncidents(tx, numbers);
  const opened = changed
    .filter(({ number }) => !before.has(number))
    .map(({ number, root, previous }) => newIncident(number, root, before.get(previous ?? 0)?.id ?? null, now));
  const stored = new Map([...before, ...opened.map((incident) => [incident.number, incident] as const)]);

  await assignSignals(tx, membershipsOf(state, { events, evidence }, stored), splitFrom(events, stored));
  for (const { mergedInto, number } of changed) {
    const [from, to] = [stored.get(number), stored.get(mergedInto ?? 0)];
    if (from !== undefined && to !== undefined) {
      await moveSignals(tx, from.id, to.id);
    }
  }
  const roots = new Map(
    changed.flatMap(({ number, root }) => {
      const id = stored.get(number)?.id;
      return id === undefined ? [] : [[id, root] as const];
    }),
  );
  const facts = await readFacts(tx, roots);
  // Its signals may still belong to another incident. It is stored once it has signals of its own.
  for (const { number } of opened.filter(({ id }) => !facts.has(id))) {
    stored.delete(number);
  }
  const senders = await findSenderNames(
    tx,
    changed.flatMap(({ floodOf }) => floodOf ?? []),
  );
  const context: Context = { state, facts, events, stored, senders, now };
  const after = changed.flatMap((incident) => {
    const known = stored.get(incident.number);
    return known === undefined ? [] : [update(known, incident, context)];
  });
  const openedIds = opened.map(({ id }) => id).filter((id) => facts.has(id));
  const told = after.filter((incident) => isNews(before.get(incident.number), incident));
  const toldIds = new Set(told.map(({ id }) => id));
  await saveIncidents(
    tx,
    after.map((incident) => (toldIds.has(incident.id) ? { ...incident, updatedAt: now } : incident)),
  );
  await appendEvents(
    tx,
    told.map((incident) => ({
      type: typeOf(before.get(incident.number), incident),
      incident: { ...incident, updatedAt: now },
    })),
    now,
  );
  const isFlood = ({ number, floodOf }: EngineIncident) =>
    floodOf !== null && !before.has(number) && stored.has(number);
  return { ids: openedIds, floods: changed.filter(isFlood).length };
}

/** Signals behind the evidence of this step, and behind all that an opened incident took along. */
function membershipsOf(
  { correlation: { live } }: EngineState,
  { events, evidence }: Outcome,
  stored: ReadonlyMap<number, Incident>,
): Membership[] {
  const found = evidence.flatMap((one) => {
    const incident = live.byNumber.get(live.byFingerprint.get(one.fingerprint) ?? 0);
    return incident?.members.has(one.fingerprint) === true ? [{ incident, found: one }] : [];
  });
  // An incident may already be forgotten when a step covers a long time.
  const opened = events.flatMap(({ type, incident }) =>
    type === 'opened' ? [...incident.members.values()].map((member) => ({ incident, found: member.evidence })) : [],
  );
  const moved = events.flatMap((event) =>
    event.type === 'split'
      ? event.fingerprints.flatMap((fingerprint) => {
          const member = event.incident.members.get(fingerprint);
          return member === undefined ? [] : [{ incident: event.incident, found: member.evidence }];
        })
      : [],
  );
  const memberships = [...opened, ...found, ...moved].flatMap(({ incident, found: { at, ...one } }) => {
    const incidentId = stored.get(incident.number)?.id;
    const seenSince = new Date(at - EVIDENCE_SPAN_MS);
    return incidentId === undefined
      ? []
      : signalsOf(one).map((fingerprint) => ({ fingerprint, incidentId, seenSince }));
  });
  return [...new Map(memberships.map((membership) => [membership.fingerprint, membership])).values()];
}

/** Ids of the incidents from which evidence was split. */
function splitFrom(events: readonly CorrelationEvent[], stored: ReadonlyMap<number, Incident>): string[] {
  return events.flatMap((event) => (event.type === 'split' ? (stored.get(event.from.number)?.id ?? []) : []));
}

/** What an update of an incident needs to know besides the incident. */
interface Context {
  readonly state: EngineState;
  readonly facts: ReadonlyMap<string, StoredFacts>;
  readonly events: readonly CorrelationEvent[];
  /** By number. */
  readonly stored: ReadonlyMap<number, Incident>;
  readonly senders: ReadonlyMap<string, string>;
  readonly now: Date;
}

/** A closed incident keeps its explanation; only its counts and times change. */
function update(known: Incident, incident: EngineIncident, context: Context): Incident {
  const { state, events, stored, senders, now } = context;
  const facts = context.facts.get(known.id);
  const seen = {
    activity: incident.activity,
    activeSince: new Date(incident.activeSince),
    lastSeenAt: new Date(incident.lastAt),
  };
  const into = stored.get(incident.mergedInto ?? 0);
  if (into !== undefined) {
    const note = `Part of #${into.number}: ${into.rootService}.`;
    return { ...known, ...seen, mergedInto: into.id, closing: known.closing ?? { note, by: null, at: now } };
  }
  if (facts === undefined) {
    return { ...known, ...seen };
  }
  const { floodOf } = incident;
  const sender = floodOf === null ? null : (senders.get(floodOf) ?? 'one sender');
  const explained = explainIncident(incident, state, facts, sender);
  const counted = { signalCounts: facts.signalCounts, signalsEndedAt: facts.endedAt };
  if (known.closing !== null) {
    return { ...known, ...seen, ...counted };
  }
  const changes = events.flatMap((event) =>
    event.type === 'root_changed' && event.incident === incident ? [event] : [],
  );
  const rootChanges = [...known.rootChanges, ...changes.map((change) => describeChange(change))];
  const previousIncidentId = stored.get(incident.previous ?? 0)?.id ?? known.previousIncidentId;
  return {
    ...known,
    ...seen,
    ...counted,
    ...explained,
    previousIncidentId,
    similarNumbers: similar(state.correlation, incident),
    rootChanges: rootChanges.slice(-MAX_ROOT_CHANGES),
  };
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

function isNews(before: Incident | undefined, after: Incident): boolean {
  if (before === undefined) {
    return true;
  }
  const isSeenAgain = after.lastSeenAt.getTime() - before.updatedAt.getTime() >= SEEN_AGAIN_MS;
  const { lastSeenAt } = before;
  return isSeenAgain || !isDeepStrictEqual(stateOf(before), stateOf({ ...after, lastSeenAt }));
}

function typeOf(before: Incident | undefined, after: Incident): IncidentEventType {
  if (before === undefined) {
    return 'incident.opened';
  }
  return before.closing === null && after.closing !== null ? 'incident.closed' : 'incident.updated';
}
