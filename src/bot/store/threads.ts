import { type Kysely, type Selectable, sql } from 'kysely';
import type { Attempt } from '../messages/find-attempt.ts';
import type { Facts } from '../views/what-changed.ts';
import { NO_ATTEMPT, toAttempt, toAttemptRow } from './attempts.ts';
import type { CardMethod } from './limits.ts';
import type { Tables } from './tables.ts';

/** Longer than the calls of one line take. */
const LEASE_MS = 30_000;

/** What the thread of a card has told, against what the card has shown since. */
export interface Thread {
  readonly incidentId: string;
  readonly channelId: string;
  /** The message that it hangs from: a card that is posted anew begins another thread. */
  readonly cardTs: string;
  readonly told: Facts;
  readonly shown: Facts;
  readonly shownRevision: string;
  /** Set while a line may have been posted whose answer we do not have; it told these facts. */
  readonly attempt: ThreadAttempt | null;
  readonly leasedUntil: Date | null;
}

export interface ThreadAttempt extends Attempt {
  readonly facts: Facts;
}

/**
 * Threads come into being and become due with what their cards show: see `CardStore.markShown`. As there, whoever held a
 * lease that ran out changes nothing any more.
 */
export interface ThreadStore {
  /**
   * Leases the thread that has waited longest in that channel; null when none is due.
   *
   * @param paused calls that Slack does not take in that channel now
   */
  claim(channelId: string, now: Date, paused: readonly CardMethod[]): Promise<Thread | null>;
  /**
   * Written before the line is posted, so that one whose answer is lost can be found again, with what it told.
   *
   * @returns false: the lease ran out, and nothing may be posted
   */
  beginAttempt(thread: Thread, attempt: ThreadAttempt): Promise<boolean>;
  /** It is certain that the attempt posted nothing. */
  endAttempt(thread: Thread): Promise<void>;
  /** @param revision up to which there is no more to tell; null: what has been shown since is not looked at yet */
  markTold(thread: Thread, told: Facts, revision: string | null): Promise<void>;
  release(thread: Thread, retryAt: Date): Promise<void>;
}

export function createThreadStore(db: Kysely<Tables>): ThreadStore {
  const held = ({ incidentId, channelId, cardTs, leasedUntil }: Thread) =>
    db
      .updateTable('threads')
      .where('incident_id', '=', incidentId)
      .where('channel_id', '=', channelId)
      .where('card_ts', '=', cardTs)
      .where('leased_until', '=', leasedUntil);

  return {
    async claim(channelId, now, paused) {
      const may = (method: CardMethod) => !paused.includes(method);
      const { rows } = await sql<Selectable<Tables['threads']>>`
        update threads set leased_until = ${new Date(now.getTime() + LEASE_MS)}
        where (incident_id, channel_id, card_ts) = (
          select incident_id, channel_id, card_ts from threads join cards using (incident_id, channel_id)
          where channel_id = ${channelId}
            and threads.told_revision < threads.shown_revision
            and cards.ts = threads.card_ts
            and threads.next_attempt_at <= ${now}
            and (threads.leased_until is null or threads.leased_until <= ${now})
            and ${may('chat.postMessage')}
            and (threads.attempt_id is null or ${may('conversations.replies')})
          order by threads.next_attempt_at, incident_id
          limit 1
          for update of threads skip locked)
        returning *`.execute(db);
      return rows[0] === undefined ? null : toThread(rows[0]);
    },

    async beginAttempt(thread, attempt) {
      const { numUpdatedRows } = await held(thread)
        .set({ ...toAttemptRow(attempt), attempt_facts: JSON.stringify(attempt.facts) })
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async endAttempt(thread) {
      await held(thread)
        .set({ ...NO_ATTEMPT, attempt_facts: null })
        .execute();
    },

    async markTold(thread, told, revision) {
      await held(thread)
        .set({
          told: JSON.stringify(told),
          ...NO_ATTEMPT,
          attempt_facts: null,
          leased_until: null,
          ...(revision !== null && { told_revision: revision }),
        })
        .execute();
    },

    async release(thread, retryAt) {
      await held(thread).set({ next_attempt_at: retryAt, leased_until: null }).execute();
    },
  };
}

function toThread(row: Selectable<Tables['threads']>): Thread {
  const attempt = toAttempt(row);
  return {
    incidentId: row.incident_id,
    channelId: row.channel_id,
    cardTs: row.card_ts,
    told: row.told,
    shown: row.shown,
    shownRevision: row.shown_revision,
    attempt: attempt === null || row.attempt_facts === null ? null : { ...attempt, facts: row.attempt_facts },
    leasedUntil: row.leased_until,
  };
}
