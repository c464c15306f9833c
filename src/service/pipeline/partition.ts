import { threadCpuUsage } from 'node:process';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { STATE_BYTES, sizeOf } from '../engine/budget.ts';
import { isIdle } from '../engine/engine.ts';
import { usualCalls } from '../engine/graph/call-graph.ts';
import type { Tick } from '../log/log-entry.ts';
import { LOST } from '../log/log-format.ts';
import { appendTick } from '../log/log-table.ts';
import type { LogRow, TelemetryLog } from '../log/telemetry-log.ts';
import { advancePosition, hasEntriesAfter, saveSnapshot } from '../store/log/correlation-lease.ts';
import { noteForgotten, noteLostUpdate, setAside, setAsideLost } from '../store/log/set-aside.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { lockWriters } from '../store/shared/signal-state.ts';
import { isConflict, isStorageUnavailable } from '../store/shared/unavailable.ts';
import { isSetBack, type Memory, pack, restoreAt, SNAPSHOT_VERSION } from './memory.ts';
import type { PipelineEvents } from './pipeline-events.ts';
import type { Progress } from './progress.ts';
import { EntryFailedError, isSlotOver, nextTickAt, type Outcome, replay } from './replay.ts';
import { trimState } from './trim-state.ts';
import { createIncidentWriter, findClosedIncidents, type OpenedIncidents } from './write-incidents.ts';

const SNAPSHOT_MS = 30_000;
/** Snapshots may take at most this share of the time, because those of a large system are slow. */
const SNAPSHOT_SHARE = 0.02;
export const STEP_MS = 1_000;

/** Log entries that are judged, but whose outcome is not stored yet. */
interface Pending {
  readonly to: bigint;
  readonly outcome: Outcome;
  readonly cpuMs: number;
  readonly now: Date;
}

/**
 * Turns the telemetry of one system, a partition of the log, into incidents, while this process has its lease. It stores the
 * incidents together with its position. So when the process dies, another one continues from the last snapshot: it replays
 * the partition up to the position, and nothing is lost or doubled.
 *
 * No lock is held while the engine works: what was judged is stored only if the position is still the one it was read
 * from.
 */
export interface Partition {
  /**
   * Correlates what comes next.
   *
   * @param at position when the lease was taken or renewed, and whether there are entries behind it
   * @returns milliseconds until there may be something to do
   */
  step(at: { readonly position: bigint; readonly hasEntries: boolean }, now: number): Promise<number>;
  /** Estimated, see `sizeOf`. 0: nothing is known, or it has the memory of this process for itself. */
  stateBytes(): number;
}

/** What a partition needs to know about the others of this process. */
export interface Share {
  /** How many there are, with it. */
  readonly partitions: () => number;
  /** What its state may take. */
  readonly budgetBytes: () => number;
  /** Keeps the leases of this process; for what takes long. */
  readonly renew: () => Promise<void>;
}

export interface PartitionDeps {
  readonly db: Kysely<ServiceTables>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly log: TelemetryLog;
  readonly progress: Progress;
  readonly events: PipelineEvents;
  readonly maxSnapshotBytes: number;
}

/** @param system the name of the partition */
export function createPartition(system: string, share: Share, deps: PartitionDeps): Partition {
  const { db, logger, clock, log, progress, events, maxSnapshotBytes } = deps;
  const writer = createIncidentWriter(system);
  let memory: Memory | null = null;
  let pending: Pending | null = null;
  let snapshotAt = Number.NEGATIVE_INFINITY;
  let stateBytes = 0;

  function forget(): void {
    memory = null;
    pending = null;
    stateBytes = 0;
  }

  async function advance(now: number): Promise<number> {
    const startedAt = performance.now();
    try {
      memory ??= await startFrom(await restoreAt(now, { ...deps, system, renew: share.renew }), now);
      pending ??= await judge(memory, now);
      if (pending === null) {
        return STEP_MS;
      }
      const { receivedAt, items } = pending.outcome;
      const { cpuMs } = pending;
      const opened = await store(memory, pending);
      pending = null;
      if (opened === null) {
        forget();
        return 0;
      }
      const hasEntries = await hasEntriesAfter(db, system, memory.position);
      const isBehind = needsTick(memory, now);
      const reachedAt = isBehind ? memory.tickedAt : hasEntries ? receivedAt : null;
      const lagMs = reachedAt === null ? 0 : Math.max(0, clock.now().getTime() - reachedAt);
      if (opened.ids.length > 0) {
        logger.info({ incidentIds: opened.ids }, 'incidents opened');
      }
      events.stepped({ opened, items, cpuMs, lagMs, durationMs: performance.now() - startedAt });
      await snapshotIfDue(memory, now);
      return hasEntries || isBehind ? 0 : STEP_MS;
    } catch (error) {
      if (!(error instanceof EntryFailedError)) {
        throw error;
      }
      forget();
      logger.error(
        { err: error.cause, system, sequence: String(error.suspect.sequence) },
        'telemetry was set aside: it failed',
      );
      await setAside(db, system, error.suspect);
      events.setAside('error');
      return 0;
    }
  }

  async function startFrom(restored: Memory, now: number): Promise<Memory> {
    writer.restart(restored.state);
    snapshotAt = now;
    return restored;
  }

  /** @returns null: there is nothing to do */
  async function judge(current: Memory, now: number): Promise<Pending | null> {
    const rows = await readNext(current, now);
    const last = rows.at(-1);
    if (last === undefined) {
      return null;
    }
    await leaveOutLost(current, rows);
    const before = threadCpuUsage();
    const outcome = replay(current, rows, current.skipped, progress);
    const { user, system: inKernel } = threadCpuUsage(before);
    stateBytes = share.partitions() > 1 ? sizeOf(current.state) : 0;
    return {
      to: last.sequence,
      outcome,
      cpuMs: (user + inKernel) / 1_000,
      now: new Date(Math.max(now, current.tickedAt)),
    };
  }

  async function leaveOutLost(current: Memory, rows: readonly LogRow[]): Promise<void> {
    const lost = rows.flatMap(({ sequence, bytes }) =>
      bytes.length > 0 || current.skipped.some(({ first, last }) => first <= sequence && sequence <= last)
        ? []
        : [sequence],
    );
    if (lost.length > 0) {
      current.skipped = [...current.skipped, ...(await setAsideLost(db, system, lost, LOST))];
      logger.error({ system, entries: lost.length, cause: LOST }, 'telemetry was set aside');
      events.setAside('lost');
    }
  }

  /** Reads the next entries. At the end of the log it appends a tick if needed, so that they are judged. */
  async function readNext(current: Memory, now: number): Promise<readonly LogRow[]> {
    const { rows, isAll } = await log.readAfter(db, system, current.position);
    if (!isAll || (rows.length === 0 && !needsTick(current, now))) {
      return rows;
    }
    const last = rows.at(-1)?.sequence ?? current.position;
    const budgetBytes = Math.floor(share.budgetBytes());
    const append = (of: Kysely<ServiceTables>, closed: Tick['closed']) =>
      // The time after the log was read, so that nothing in it was received later than that.
      appendTick(of, system, {
        at: nextTickAt(current, clock.now().getTime()),
        closed,
        ...(budgetBytes < STATE_BYTES && { budgetBytes }),
      });
    const tick =
      (await findClosedIncidents(db, system, current.state)).length === 0
        ? await append(db, [])
        : await db.transaction().execute(async (tx) => {
            await lockWriters(tx); // or one that is reopened meanwhile would be closed after that
            return append(tx, await findClosedIncidents(tx, system, current.state));
          });
    const rest = tick.sequence === last + 1n ? [tick] : (await log.readAfter(db, system, last)).rows;
    return [...rows, ...rest];
  }

  /** @returns null: another process has advanced the position */
  async function store(current: Memory, judged: Pending): Promise<OpenedIncidents | null> {
    const written = await tryToStore(current, judged).catch((error: unknown) => {
      if (isStorageUnavailable(error) && !isConflict(error)) {
        throw error;
      }
      return tryToStore(current, judged, isConflict(error) ? 'alone' : 'each alone');
    });
    if (written === null) {
      return null;
    }
    written.committed();
    current.position = judged.to;
    for (const err of written.failures) {
      logger.error({ err }, 'an update of an incident was set aside: it cannot be stored');
      events.setAside('unstorable');
    }
    return written.opened;
  }

  /** @param how `alone`: with the lock of the writers; `each alone`: also leaves out updates that cannot be stored */
  function tryToStore(current: Memory, { to, outcome, now }: Pending, how?: 'alone' | 'each alone') {
    return db.transaction().execute(async (tx) => {
      if (how !== undefined) {
        await lockWriters(tx);
      }
      if (!(await advancePosition(tx, system, current.position, to))) {
        return null;
      }
      const written = await writer.write(tx, current.state, outcome, now, how === 'each alone');
      for (const failure of written.failures) {
        await noteLostUpdate(tx, system, to, String(failure));
      }
      return written;
    });
  }

  async function snapshotIfDue(current: Memory, now: number): Promise<void> {
    if (now < snapshotAt) {
      return;
    }
    const startedAt = performance.now();
    let state = pack(current);
    if (state.length > maxSnapshotBytes) {
      // Without a snapshot the log would grow for ever.
      const cause = `a snapshot of system ${system} was too large: part of what is usual is learnt anew`;
      logger.warn({ system, bytes: state.length }, cause);
      events.setAside(cause);
      state = trimState(current.state, state, () => pack(current), maxSnapshotBytes);
      await noteForgotten(db, system, cause);
    }
    const tookMs = performance.now() - startedAt;
    snapshotAt = now + Math.max(SNAPSHOT_MS, (tookMs * share.partitions()) / SNAPSHOT_SHARE);
    events.snapshotTaken(state.length);
    const { graph, correlation } = current.state;
    const observed = {
      calls: usualCalls(graph),
      changes: [...correlation.changes.values()].flat().map(({ service, at, subject }) => ({ service, at, subject })),
    };
    const snapshot = { version: SNAPSHOT_VERSION, state };
    const isSaved = await db
      .transaction()
      .execute((tx) => saveSnapshot(tx, system, current.position, snapshot, observed));
    if (isSaved) {
      await log.trim(db, system, current.position);
    }
  }

  return {
    async step({ position, hasEntries }, now) {
      if (memory !== null && (memory.position !== position || isSetBack(memory, now))) {
        forget();
      }
      if (memory !== null && pending === null && !hasEntries && !needsTick(memory, now)) {
        return STEP_MS;
      }
      progress.enter(system);
      return advance(now);
    },
    stateBytes: () => stateBytes,
  };
}

/** Whether a slot has ended since the last tick, and the engine is not idle. */
function needsTick({ state, tickedAt }: Memory, now: number): boolean {
  return isSlotOver(tickedAt, now) && !isIdle(state);
}
