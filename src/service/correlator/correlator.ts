import { randomUUID } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import { createEngineState, type EngineState, isIdle } from '../correlation/engine.ts';
import { fromSnapshot, toSnapshot } from '../correlation/snapshot.ts';
import {
  type CorrelationPosition,
  findWork,
  LEASE_MS,
  readSnapshot,
  releaseLease,
  savePosition,
  saveSnapshot,
  takeLease,
} from '../store/correlation-lease.ts';
import { findNextNumber } from '../store/incident-writer.ts';
import { lockWriters } from '../store/signal-state.ts';
import type { ServiceTables } from '../store/tables.ts';
import { appendToLog, type LogEntry, readLog, trimLog } from '../store/telemetry-log.ts';
import { isStorageUnavailable } from '../store/unavailable.ts';
import { isSlotOver, replay } from './replay.ts';
import { createIncidentWriter, findClosedIncidents, NONE_OPENED, type OpenedIncidents } from './write-incidents.ts';

type Tx = Transaction<ServiceTables>;

/** Raised when a state of an earlier version cannot be used any more: correlation then learns anew. */
const SNAPSHOT_VERSION = 3;
const SNAPSHOT_MS = 30_000;
/** A snapshot of a large system takes long to make: it may cost this share of the time. */
const SNAPSHOT_SHARE = 0.02;
const STEP_MS = 1_000;
/** Entries of the log that one step reads. */
const MAX_ENTRIES = 500;

/** The engine's state in memory, and how far it has read the log. */
interface Memory {
  readonly state: EngineState;
  position: bigint;
  tickedAt: number;
  snapshotAt: number;
}

/**
 * Turns the telemetry of all processes into incidents. One process does so at a time, the holder of the lease: it reads
 * the log that every intake writes, and stores the incidents together with its position in the log. So when it dies,
 * another one continues from the last snapshot: it replays the log up to the position, and nothing is lost or doubled.
 */
export interface Correlator extends AsyncDisposable {
  start(): void;
  /** Something was appended to the log. */
  kick(): void;
}

export function createCorrelator(deps: {
  readonly db: Kysely<ServiceTables>;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Called with the new incidents once they are durable. */
  readonly onIncidentsOpened: (opened: OpenedIncidents) => void;
}): Correlator {
  const { db, logger, clock, onIncidentsOpened } = deps;
  const process = randomUUID();
  const writer = createIncidentWriter();
  let memory: Memory | null = null;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let isStarting = true;

  async function step(): Promise<number> {
    const { mayLead, hasEntries } = await findWork(db, process);
    const now = clock.now().getTime();
    const isDue = memory === null || now - renewedAt >= LEASE_MS / 2 || needsTick(memory, now);
    if (!mayLead) {
      memory = null;
    }
    if (!isStarting && (!mayLead || (!hasEntries && !isDue))) {
      return STEP_MS;
    }
    const opened = await correlate(now);
    renewedAt = now;
    if (opened.ids.length > 0) {
      logger.info({ incidentIds: opened.ids }, 'incidents opened');
      onIncidentsOpened(opened);
    }
    return STEP_MS;
  }

  async function correlate(now: number): Promise<OpenedIncidents> {
    try {
      return await db.transaction().execute(async (tx) => {
        await lockWriters(tx);
        const lease = await takeLease(tx, process, isStarting);
        isStarting = false;
        if (lease === null) {
          memory = null;
          return NONE_OPENED;
        }
        memory = memory?.position === lease.position ? memory : await load(tx, lease);
        return advanceTo(tx, memory, now);
      });
    } catch (error) {
      // The state may be ahead of what was stored.
      memory = null;
      if (!isStorageUnavailable(error)) {
        await forgetState(error);
      }
      throw error;
    }
  }

  async function advanceTo(tx: Tx, current: Memory, now: number): Promise<OpenedIncidents> {
    const rows = await readLog(tx, current.position, MAX_ENTRIES);
    if (rows.length === 0 && !needsTick(current, now)) {
      return NONE_OPENED;
    }
    const at = Math.max(now, current.tickedAt);
    const closed = await findClosedIncidents(tx, current.state);
    const tick: LogEntry = { kind: 'tick', tick: { at, closed } };
    const isCaughtUp = rows.length < MAX_ENTRIES;
    if (isCaughtUp) {
      current.position = await appendToLog(tx, tick);
      current.tickedAt = at;
    } else {
      current.position = rows.at(-1)?.sequence ?? current.position;
    }
    const entries = [...rows.map(({ entry }) => entry), ...(isCaughtUp ? [tick] : [])];
    const opened = await writer.write(tx, current.state, replay(current.state, entries), new Date(at));
    await savePosition(tx, current.position);
    await snapshotIfDue(tx, current, now);
    return opened;
  }

  async function load(tx: Tx, { position, snapshotPosition }: CorrelationPosition): Promise<Memory> {
    const startedAt = performance.now();
    const snapshot = await readSnapshot(tx);
    const isUsable = snapshot !== null && snapshot.version === SNAPSHOT_VERSION;
    const state = isUsable ? fromSnapshot<EngineState>(snapshot.state) : createEngineState();
    let tickedAt = Number.NEGATIVE_INFINITY;
    let readUpTo = isUsable ? snapshotPosition : position;
    if (!isUsable) {
      state.correlation.nextNumber = await findNextNumber(tx);
    }
    while (readUpTo < position) {
      const rows = (await readLog(tx, readUpTo, MAX_ENTRIES)).filter(({ sequence }) => sequence <= position);
      replay(
        state,
        rows.map(({ entry }) => entry),
      );
      const ticks = rows.flatMap(({ entry }) => (entry.kind === 'tick' ? [entry.tick.at] : []));
      tickedAt = Math.max(tickedAt, ...ticks);
      readUpTo = rows.at(-1)?.sequence ?? position;
    }
    writer.restart(state);
    logger.debug({ tookMs: Math.round(performance.now() - startedAt) }, 'this process correlates');
    return { state, position, tickedAt, snapshotAt: clock.now().getTime() };
  }

  async function snapshotIfDue(tx: Tx, current: Memory, now: number): Promise<void> {
    if (now < current.snapshotAt) {
      return;
    }
    const startedAt = performance.now();
    const state = toSnapshot(current.state);
    const { graph, correlation } = current.state;
    await saveSnapshot(
      tx,
      current.position,
      { version: SNAPSHOT_VERSION, state },
      {
        calls: [...graph.edges.values()],
        changes: [...correlation.changes.values()].flat().map(({ service, at, subject }) => ({ service, at, subject })),
      },
    );
    await trimLog(tx, current.position);
    const tookMs = performance.now() - startedAt;
    current.snapshotAt = now + Math.max(SNAPSHOT_MS, tookMs / SNAPSHOT_SHARE);
  }

  /** Input that correlation cannot cope with must not stop it for good. The signals are stored. */
  async function forgetState(err: unknown): Promise<void> {
    logger.error({ err }, 'correlation failed and starts over without what it had learnt');
    await db.transaction().execute(async (tx) => {
      await lockWriters(tx);
      const lease = await takeLease(tx, process, false);
      if (lease !== null) {
        const last = await appendToLog(tx, { kind: 'telemetry', reports: [] });
        const state = createEngineState();
        state.correlation.nextNumber = await findNextNumber(tx);
        await saveSnapshot(
          tx,
          last,
          { version: SNAPSHOT_VERSION, state: toSnapshot(state) },
          { calls: [], changes: [] },
        );
        await savePosition(tx, last);
        await trimLog(tx, last);
      }
    });
  }

  const loop: Loop = createLoop({
    name: 'correlation',
    step,
    retry: { firstMs: STEP_MS, longestMs: 30_000 },
    logger,
    clock,
  });

  return {
    start: () => loop.start(),
    kick: () => loop.kick(),
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      await releaseLease(db, process).catch((err: unknown) => logger.debug({ err }, 'the lease could not be released'));
    },
  };
}

/** Whether a slot of the engine is over that was not at the last tick. */
function needsTick({ state, tickedAt }: Memory, now: number): boolean {
  return isSlotOver(tickedAt, now) && !isIdle(state);
}
