import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresPoolClient } from 'kysely';
import type { Logger } from 'pino';
import { batched } from '../runtime/batched.ts';
import { describeConnectFailure } from './errors.ts';
import { withLimit } from './limit.ts';
import type { SessionPool } from './session-pool.ts';

/** How long a read waits for what was committed before it. A replica that keeps up is a few milliseconds behind. */
const WAITS_MS = [0, 5, 10, 20, 40];
/** After this time, a replica that does not answer cannot be reached. */
const LIMIT_MS = 1_000;
/** How long the replica is left alone that was behind, or could not be reached. */
const BEHIND_MS = 1_000;
const AWAY_MS = 10_000;

/**
 * Sessions for reads: on the replica where it has all that was committed before the session was asked for, so that everybody
 * sees what they wrote, through whichever process; otherwise on the primary.
 */
export function createReplicaPool(replica: SessionPool, primary: SessionPool, logger: Logger): SessionPool {
  let leftAloneUntilMs = 0;

  /** Up to where the primary's log is committed. Callers at about the same time share the answer of one that began later. */
  const committed = batched(async (callers: readonly null[]) => {
    const [row] = await ask<Position>(primary, COMMITTED, []);
    return callers.map(() => row ?? { position: '', timeline: 0 });
  });

  /** null: it is behind. */
  async function connectToReplica({ position, timeline }: Position): Promise<PostgresPoolClient | null> {
    const client = await replica.connect();
    try {
      for (const waitMs of WAITS_MS) {
        await (waitMs > 0 && sleep(waitMs));
        const { rows } = await client.query<{ has: boolean | null }>(HAS, [position, timeline]);
        if (rows[0]?.has === true) {
          return client;
        }
      }
    } catch (error) {
      client.release();
      throw error;
    }
    client.release();
    return null;
  }

  async function findReplica(position: Position): Promise<PostgresPoolClient | null> {
    const found = connectToReplica(position);
    const giveUp = () => void found.then((client) => client?.release()).catch(() => undefined);
    try {
      const client = await withLimit(LIMIT_MS, found, giveUp);
      leftAloneUntilMs = client === null ? performance.now() + BEHIND_MS : leftAloneUntilMs;
      return client;
    } catch (error) {
      logger.warn({ reason: describeConnectFailure(error) }, 'the replica cannot be read; reading from the primary');
      leftAloneUntilMs = performance.now() + AWAY_MS;
      return null;
    }
  }

  async function connect(): Promise<PostgresPoolClient> {
    const isLeftAlone = performance.now() < leftAloneUntilMs;
    return (isLeftAlone ? null : await findReplica(await committed(null))) ?? primary.connect();
  }

  return {
    options: {},
    connect,
    async end() {
      await Promise.all([replica.end(), primary.end()]);
    },
    usage: () => primary.usage(),
  };
}

/** A place in the log. After a promotion the log goes on in another timeline, where the same position means something else. */
interface Position {
  readonly position: string;
  readonly timeline: number;
}

/** The name of a file of the log begins with its timeline, in hexadecimal. */
const COMMITTED = `
  select position, ('x' || left(pg_walfile_name(position), 8))::bit(32)::integer as timeline
  from pg_current_wal_flush_lsn() as position`;

/**
 * A replica that was promoted replays nothing any more, and has what it wrote itself: it is no replica of the primary. Nor is one
 * that still follows the primary of before. Which timeline it replays it knows up to some minutes late, and is left alone until then.
 */
const HAS = `
  select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn and $2::integer = (
    select greatest(timeline_id, min_recovery_end_timeline) from pg_control_checkpoint(), pg_control_recovery()
  ) as has`;

async function ask<Row>(pool: SessionPool, text: string, parameters: readonly unknown[]): Promise<Row[]> {
  const client = await pool.connect();
  try {
    return (await client.query<Row>(text, parameters)).rows;
  } finally {
    client.release();
  }
}
