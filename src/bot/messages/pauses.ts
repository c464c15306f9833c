import { type Kysely, type RawBuilder, sql } from 'kysely';
import { fromNow } from '../../database/lease.ts';
import { prepared } from '../../database/prepared.ts';
import { CLOCK_STEP_MS } from '../../runtime/clock.ts';
import type { ChannelId, PlaceId } from '../slack/identifiers.ts';
import type { Tables } from '../tables.ts';
import type { MessageCall, Pause } from './throttle.ts';

declare module '../tables.ts' {
  interface Tables {
    slack_pauses: {
      call: MessageCall | null;
      channel_id: ChannelId | null;
      reason: string;
      failures: number;
      since: Date;
      until: Date;
    };
  }
}

/** Which calls are paused; null: any. */
export interface PauseScope {
  readonly call: MessageCall | null;
  readonly placeId: PlaceId | null;
}

/** Pauses of Slack calls, shared by all processes and kept across restarts. */
export interface PauseStore {
  /**
   * Counts a failure and starts a pause. A current pause is not shortened, unless it was set before the database's
   * clock was set back.
   *
   * @param pauseMs length of the pause by the number of consecutive failures
   * @returns the number of consecutive failures
   */
  failed(scope: PauseScope, reason: string, pauseMs: (failures: number) => number): Promise<number>;
  /** Ends the pauses of a call that succeeded. */
  worked(call: MessageCall, placeId: PlaceId): Promise<void>;
  list(): Promise<Pause[]>;
}

/** Longer than a message that failed waits before it is tried again. */
const FORGOTTEN_MS = 2 * 60_000;

/**
 * Consecutive failures. Those of a call are forgotten: if the messages that needed it are gone, no success would ever end them.
 * A place or a token stays refused until a call works.
 */
const FAILURES = sql<number>`case when slack_pauses.call is null or slack_pauses.until > ${fromNow(-FORGOTTEN_MS)}
  then slack_pauses.failures else 0 end`;

export function createPauseStore(db: Kysely<Tables>): PauseStore {
  return {
    failed: ({ call, placeId }, reason, pauseMs) =>
      db.transaction().execute(async (tx) => {
        const { rows } = await sql<{ failures: number }>`
          insert into slack_pauses (call, channel_id, reason, failures, since, until)
          values (${call}, ${placeId}, ${reason}, 1, clock_now(), clock_now())
          on conflict (call, channel_id) do update
          set reason = excluded.reason, failures = ${FAILURES} + 1
          returning failures`.execute(tx);
        const failures = rows[0]?.failures ?? 1;
        // A pause that begins in the future is void: it was set before the clock was set back.
        await sql`
          update slack_pauses set since = clock_now(),
            until = greatest(case when since <= clock_now() then until end, ${fromNow(pauseMs(failures))})
          where call is not distinct from ${call} and channel_id is not distinct from ${placeId}`.execute(tx);
        return failures;
      }),

    async worked(call, placeId) {
      await sql`
        update slack_pauses set failures = 0, until = least(until, clock_now())
        where failures > 0 and (call is null or call = ${call})
          and (channel_id is null or channel_id = ${placeId})`.execute(db);
    },

    list: () => listPauses(db),
  };
}

/** Whether one of the calls is paused in the place, like `isActive` for a pause that was read. */
export function isPaused(placeId: PlaceId, calls: readonly MessageCall[]): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from slack_pauses
    where (call is null or call = any(${calls}::text[])) and (channel_id is null or channel_id = ${placeId})
      and until > clock_now() and since <= ${fromNow(CLOCK_STEP_MS)})`;
}

export async function listPauses(db: Kysely<Tables>): Promise<Pause[]> {
  const { rows } = await sql<Pause>`
    ${prepared('pauses')}
    select call, channel_id as "placeId", reason, ${FAILURES} as failures, since, until from slack_pauses
    order by since desc`.execute(db);
  return rows;
}
