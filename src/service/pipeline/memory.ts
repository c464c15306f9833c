import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { KnownIncident } from '../core/known-incident.ts';
import { createEngineState, type EngineState, resume, teach } from '../engine/engine.ts';
import { completeState } from '../engine/engine-state.ts';
import type { TelemetryLog } from '../log/telemetry-log.ts';
import { findNextOrdinal } from '../store/incidents/incident-writer.ts';
import { readLessons } from '../store/incidents/lesson-store.ts';
import { readOpenIncidents } from '../store/incidents/open-incidents.ts';
import { readProgress, saveSnapshot } from '../store/log/correlation-lease.ts';
import { listSetAside, type SetAside, settleSetAside } from '../store/log/set-aside.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import type { Progress } from './progress.ts';
import { type Replayed, replay } from './replay.ts';
import { fromSnapshotBytes, toSnapshotBytes } from './snapshot-bytes.ts';
import { shrinkState } from './trim-state.ts';

/**
 * Raised when a member of the state means something else than in snapshots of an earlier version. Correlation then learns anew what is
 * normal, and goes on with the open incidents. Members that are new or gone need no other version, see `completeState`.
 */
export const SNAPSHOT_VERSION = 38;

/** The engine's state in memory, and how far it has read the log. */
export interface Memory extends Replayed {
  readonly state: EngineState;
  position: bigint;
  tickedAt: number;
  /** Entries and reports of the log that are skipped. */
  skipped: readonly SetAside[];
}

/** If the clock is further behind the last tick, it was set back, or that of the process that led before was ahead. */
const SET_BACK_MS = 2 * 60_000;

/** Until the clock is as late again there would be no tick, so nothing would open. */
export function isSetBack({ tickedAt }: Replayed, now: number): boolean {
  return tickedAt - now > SET_BACK_MS;
}

interface Deps {
  readonly db: Kysely<ServiceTables>;
  readonly log: TelemetryLog;
  readonly system: string;
  /** Keeps the leases while it takes long. */
  readonly renew: () => Promise<void>;
  readonly progress: Progress;
  readonly logger: Logger;
}

/**
 * Restores the state, see `restore`. If the clock was set back since its last tick, correlation learns anew.
 *
 * @throws {EntryFailedError}
 */
export async function restoreAt(now: number, deps: Deps): Promise<Memory> {
  const memory = await restore(deps);
  if (!isSetBack(memory, now)) {
    return memory;
  }
  deps.logger.warn({ byMs: memory.tickedAt - now }, 'the clock was set back: correlation learns anew what is normal');
  return restore(deps, now);
}

/**
 * Restores the state at the last stored position: the snapshot, and the log since. It reads in one repeatable-read
 * transaction, so another process may trim the log meanwhile. The lease is renewed during long reads.
 *
 * @param anewAt the time, if only the open incidents are to be restored
 * @throws {EntryFailedError}
 */
export async function restore(deps: Deps, anewAt?: number): Promise<Memory> {
  const startedAt = performance.now();
  const memory = await deps.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const { position, snapshotPosition, snapshot } = await readProgress(tx, deps.system);
      const skipped = await listSetAside(tx, deps.system, snapshotPosition);
      const learnt = skipped.filter(({ kind, isPending }) => kind === 'learnt' && isPending);
      const isUsable = anewAt === undefined && snapshot?.version === SNAPSHOT_VERSION;
      const known = isUsable ? unpack(snapshot.state, deps) : null;
      const { state, tickedAt } = known ?? { state: createEngineState(), tickedAt: Number.NEGATIVE_INFINITY };
      const memory = { state, position, tickedAt, skipped };
      if (known !== null && learnt.length === 0) {
        await replayUpTo(tx, memory, snapshotPosition, deps);
        return memory;
      }
      if (known !== null && learnt.some(({ first, last }) => last < first)) {
        shrinkState(state);
      }
      state.correlation.nextNumber = await findNextOrdinal(tx, deps.system);
      for (const lesson of await readLessons(tx, deps.system)) {
        teach(state, lesson);
      }
      if (known === null) {
        for (const incident of await readOpenIncidents(tx, deps.system)) {
          resume(state, anewAt === undefined ? incident : notAfter(incident, anewAt));
        }
      }
      return { ...memory, mustSave: true };
    });
  if ('mustSave' in memory) {
    await save(deps, memory);
  }
  deps.logger.debug({ tookMs: Math.round(performance.now() - startedAt) }, 'this process correlates');
  return memory;
}

/** What lies ahead of a clock that was set back happened just now. */
function notAfter(incident: KnownIncident, at: number): KnownIncident {
  const { openedAt, lastAt, activeSince } = incident;
  return {
    ...incident,
    openedAt: Math.min(openedAt, at),
    lastAt: Math.min(lastAt, at),
    activeSince: Math.min(activeSince, at),
  };
}

async function replayUpTo(db: Kysely<ServiceTables>, memory: Memory, from: bigint, deps: Deps): Promise<void> {
  let readUpTo = from;
  while (readUpTo < memory.position) {
    const { rows } = await deps.log.readAfter(db, deps.system, readUpTo, memory.position);
    replay(memory, rows, memory.skipped, deps.progress);
    readUpTo = rows.at(-1)?.sequence ?? memory.position;
    await deps.renew();
  }
}

/** @returns null: it cannot be read */
function unpack(bytes: Buffer, { progress, logger }: Deps): Replayed | null {
  progress.begin(0n, null);
  try {
    const read = fromSnapshotBytes<Replayed>(bytes);
    return { ...read, state: completeState(read.state) };
  } catch (err) {
    logger.error({ err }, 'the snapshot of correlation cannot be read: it learns anew');
    return null;
  } finally {
    progress.end();
  }
}

/**
 * Stores a snapshot at once. New incidents are numbered after those in the database, so no earlier state may be
 * restored.
 */
async function save({ db, system }: Deps, memory: Memory): Promise<void> {
  const { position } = memory;
  const snapshot = { version: SNAPSHOT_VERSION, state: pack(memory) };
  await db.transaction().execute(async (tx) => {
    if (await saveSnapshot(tx, system, position, snapshot, { calls: [], changes: [] })) {
      await settleSetAside(tx, system);
    }
  });
}

/** Serializes the state for a snapshot. */
export function pack({ state, tickedAt }: Replayed): Buffer {
  return toSnapshotBytes({ state, tickedAt } satisfies Replayed);
}
