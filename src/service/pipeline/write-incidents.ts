import { type Kysely, sql, type Transaction } from 'kysely';
import { type Incident, newIncident } from '../core/incident.ts';
import { countRecurrence } from '../core/recurrence.ts';
import type { EngineState } from '../engine/engine.ts';
import { usualCalls } from '../engine/graph/call-graph.ts';
import type { Incident as EngineIncident } from '../engine/grouping/incident.ts';
import { similar } from '../engine/grouping/similar.ts';
import { learntRoot } from '../engine/grouping/taught.ts';
import type { Tick } from '../log/log-entry.ts';
import { appendEvents } from '../store/events/event-store.ts';
import { countFailures, moveFailures } from '../store/incidents/failure-counts.ts';
import { readFacts } from '../store/incidents/incident-facts.ts';
import {
  assignSignals,
  findClosed,
  findNumbers,
  findSenderNames,
  lockIncidents,
  moveSignals,
  moveSplit,
  readStored,
  saveIncidents,
  takeNumbers,
} from '../store/incidents/incident-writer.ts';
import { readTeachers } from '../store/incidents/lesson-store.ts';
import { appendToTimelines } from '../store/incidents/timeline.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { isStorageUnavailable } from '../store/shared/unavailable.ts';
import { writeSignals } from '../store/signals/write-signals.ts';
import { failingSince } from './explain-incident.ts';
import { toFindingSignal } from './finding-signal.ts';
import { callerOf } from './incident-title.ts';
import { membershipsOf } from './memberships.ts';
import { divideSplit, incidentsOf, movesOf, regroupedIn, seenOf, splitsOf } from './regrouped-failures.ts';
import type { Outcome as Replayed } from './replay.ts';
import { hasChanged, momentsOf, splitMoments, typeOf, type UpdateContext, updateIncident } from './update-incident.ts';

type Tx = Transaction<ServiceTables>;

type Outcome = Pick<Replayed, 'events' | 'evidence' | 'placements'>;

/** Incidents that are open for correlation, also those that it remembers only, but closed in the store. */
export function findClosedIncidents(
  db: Kysely<ServiceTables>,
  system: string,
  { correlation: { live, past } }: EngineState,
): Promise<Tick['closed']> {
  const numbers = [
    ...[...live.byNumber.values()].flatMap(({ number, closedAt }) => (closedAt === null ? [number] : [])),
    ...past.flatMap(({ number, open }) => (open == null ? [] : [number])),
  ];
  return numbers.length === 0 ? Promise.resolve([]) : findClosed(db, system, numbers);
}

export interface OpenedIncidents {
  readonly ids: readonly string[];
  /** How many of them hold the failures beyond a sender's limit. */
  readonly floods: number;
}

export const NONE_OPENED: OpenedIncidents = { ids: [], floods: 0 };

/** Stores the incidents of correlation. It remembers what is stored, so that only changes are written. */
export interface IncidentWriter {
  /** Marks everything up to this state as stored. */
  restart(state: EngineState): void;
  /**
   * @param isEachAlone a failure of one incident does not fail the others
   * @returns what to call once the transaction is committed
   */
  write(tx: Tx, state: EngineState, outcome: Outcome, now: Date, isEachAlone: boolean): Promise<Written>;
}

export interface Written {
  readonly opened: OpenedIncidents;
  /** Why incidents could not be stored; only with `isEachAlone`. */
  readonly failures: readonly unknown[];
  committed(): void;
}

export function createIncidentWriter(system: string): IncidentWriter {
  /** `lastAt` of each incident when it was stored, by number. */
  const storedUpTo = new Map<number, number>();

  return {
    restart({ correlation: { live } }) {
      storedUpTo.clear();
      for (const { number, lastAt } of live.byNumber.values()) {
        storedUpTo.set(number, lastAt);
      }
    },

    async write(tx, state, outcome, now, isEachAlone) {
      const { live } = state.correlation;
      const grown = [...live.byNumber.values()].filter(({ number, lastAt }) => lastAt > (storedUpTo.get(number) ?? 0));
      const forgotten = outcome.placements
        .map(({ incident }) => incident)
        .filter(({ number }) => !live.byNumber.has(number));
      const changed = [...new Set([...outcome.events.flatMap(incidentsOf), ...grown, ...forgotten])];
      const upTo = changed.map(({ number, lastAt }) => [number, lastAt] as const);
      const { opened, failures } = isEachAlone
        ? await storeEachAlone(tx, system, state, outcome, changed, now)
        : { opened: await store(tx, system, state, outcome, changed, now), failures: [] };
      const committed = () => {
        for (const [number, lastAt] of upTo) {
          storedUpTo.set(number, lastAt);
        }
        for (const number of storedUpTo.keys()) {
          if (!live.byNumber.has(number)) {
            storedUpTo.delete(number);
          }
        }
      };
      return { opened, failures, committed };
    },
  };
}

/** Stores the findings, then each incident, each in a savepoint, so that a failure undoes only that part. */
async function storeEachAlone(
  tx: Tx,
  system: string,
  state: EngineState,
  { events, evidence, placements }: Outcome,
  changed: readonly EngineIncident[],
  now: Date,
): Promise<Pick<Written, 'opened' | 'failures'>> {
  const parts = [
    () => store(tx, system, state, { events: [], evidence, placements: [] }, [], now),
    ...changed.map((incident) => () => {
      const own = events.filter((event) => incidentsOf(event)[0] === incident);
      return store(tx, system, state, { events: own, evidence, placements }, [incident], now, false);
    }),
  ];
  const failures: unknown[] = [];
  let opened = NONE_OPENED;
  for (const part of parts) {
    await sql`savepoint part`.execute(tx);
    try {
      const { ids, floods } = await part();
      opened = { ids: [...opened.ids, ...ids], floods: opened.floods + floods };
      await sql`release savepoint part`.execute(tx);
    } catch (error) {
      if (isStorageUnavailable(error)) {
        throw error;
      }
      failures.push(error);
      await sql`rollback to savepoint part`.execute(tx);
    }
  }
  return { opened, failures };
}

async function store(
  tx: Tx,
  system: string,
  state: EngineState,
  { events, evidence, placements }: Outcome,
  changed: readonly EngineIncident[],
  now: Date,
  withFindings = true,
): Promise<OpenedIncidents> {
  const numbers = changed.flatMap(({ number, previous, mergedInto }) => [number, previous ?? 0, mergedInto ?? 0]);
  const before = await lockIncidents(tx, system, numbers); // incidents before signals: the lock order of all writers
  if (withFindings) {
    const findings = evidence.flatMap((found) => toFindingSignal(found) ?? []).map((found) => ({ ...found, system }));
    await writeSignals(tx, findings, now);
  }
  if (changed.length === 0) {
    return NONE_OPENED;
  }
  const opened = changed
    .filter(({ number }) => !before.has(number))
    .map(({ number, root, previous }) => ({
      ...newIncident(number, root, before.get(previous ?? 0)?.id ?? null, now),
      system,
    }));
  const stored = new Map([...before, ...opened.map((incident) => [incident.ordinal, incident] as const)]);

  const memberships = membershipsOf(placements, stored);
  await assignSignals(tx, system, memberships);
  for (const split of splitsOf(events, stored)) {
    await moveSplit(tx, memberships, split);
  }
  const moves = movesOf(changed, events, stored);
  await moveSignals(tx, moves);
  await moveFailures(tx, moves);
  const roots = new Map(
    changed.flatMap((incident) => {
      const id = stored.get(incident.number)?.id;
      const failing = { service: incident.root, since: failingSince(incident), caller: callerOf(incident) };
      return id === undefined ? [] : [[id, failing] as const];
    }),
  );
  const facts = await readFacts(tx, roots);
  const openedIds = idsOf(opened).filter((id) => facts.has(id));
  let number = openedIds.length === 0 ? 0 : await takeNumbers(tx);
  for (const incident of opened) {
    // Its signals may still belong to another incident. The incident is stored once it has signals of its own.
    const known = facts.get(incident.id);
    if (known !== undefined) {
      stored.set(incident.ordinal, { ...incident, number, ...known.declaration });
      number += 1;
    } else {
      stored.delete(incident.ordinal);
    }
  }
  const senders = await findSenderNames(
    tx,
    changed.flatMap(({ floodOf }) => floodOf ?? []),
  );
  const earlier = await readSimilar(tx, system, state, changed);
  const teachers = await readTeachers(
    tx,
    changed.flatMap((incident) => learntRoot(incident, state.correlation.lessons.values())?.lesson.id ?? []),
  );
  const calls = usualCalls(state.graph);
  const context: UpdateContext = { state, facts, events, stored, senders, similar: earlier, teachers, calls, now };
  const after = changed.flatMap((incident) => {
    const known = stored.get(incident.number);
    return known === undefined
      ? []
      : [countRecurrence(before.get(incident.number), updateIncident(known, incident, context))];
  });
  const notified = after.filter((incident) => hasChanged(before.get(incident.ordinal), incident));
  const notifiedIds = new Set(notified.map(({ id }) => id));
  await saveIncidents(
    tx,
    after.map((incident) => (notifiedIds.has(incident.id) ? { ...incident, updatedAt: now } : incident)),
  );
  const lost = new Map(
    changed.flatMap(({ number, lost: soFar }) => {
      const id = stored.get(number)?.id;
      return id === undefined ? [] : [[id, soFar?.requests ?? 0] as const];
    }),
  );
  await divideSplit(tx, events, after);
  const regrouped = regroupedIn(events);
  const seen = after.flatMap((incident) => seenOf(before.get(incident.ordinal), incident, facts, lost, regrouped));
  await countFailures(tx, seen, now);
  await appendToTimelines(tx, [
    ...after.flatMap((incident) => momentsOf(before.get(incident.ordinal), incident, stored, now)),
    ...splitMoments(events, stored, now),
  ]);
  const written = await readStored(tx, idsOf(notified));
  await appendEvents(
    tx,
    notified.flatMap(({ ordinal, id }) => {
      const incident = written.get(id);
      return incident === undefined ? [] : [{ type: typeOf(before.get(ordinal), incident), incident }];
    }),
    now,
  );
  const isFlood = ({ number, floodOf }: EngineIncident) =>
    floodOf !== null && !before.has(number) && stored.has(number);
  return { ids: openedIds, floods: changed.filter(isFlood).length };
}

/** Numbers of earlier incidents of the same failure, newest first; by ordinal. */
async function readSimilar(
  tx: Tx,
  system: string,
  { correlation }: EngineState,
  incidents: readonly EngineIncident[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const known = incidents.map((incident) => [incident.number, similar(correlation, incident)] as const);
  const numbers = await findNumbers(tx, system, [...new Set(known.flatMap(([, ordinals]) => ordinals))]);
  return new Map(
    known.map(([ordinal, ordinals]) => [ordinal, ordinals.flatMap((each) => numbers.get(each) ?? [])] as const),
  );
}

function idsOf(incidents: readonly Incident[]): string[] {
  return incidents.map(({ id }) => id);
}
