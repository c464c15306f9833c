import { type Kysely, type Selectable, sql } from 'kysely';
import type { BelievedCard } from '../messages/audit-plan.ts';
import type { Attempt } from '../messages/find-attempt.ts';
import type { Failures } from '../messages/refusals.ts';
import type { Facts } from '../views/what-changed.ts';
import { NO_ATTEMPT, toAttempt, toAttemptRow } from './attempts.ts';
import { dueIn, LANES } from './lanes.ts';
import type { CardMethod } from './limits.ts';
import { isWanted } from './subscriptions.ts';
import type { Tables } from './tables.ts';

/** Longer than any step of the reconciler takes, so that a card whose holder died is free again soon. */
const LEASE_MS = 30_000;

/** As the index `cards_due` has it. */
const TURN = sql`case when refusals < 3 then lane else 3 end, greatest(due_since, next_attempt_at), incident_id`;

export interface Card extends Failures {
  readonly incidentId: string;
  readonly channelId: string;
  /** null: not posted, as far as we know. */
  readonly ts: string | null;
  /** Set while a post may have happened whose answer we do not have. */
  readonly attempt: Attempt | null;
  readonly shownDigest: string | null;
  /** The end of the lease, by which whoever holds it is known; null: it was only read. */
  readonly leasedUntil: Date | null;
}

/** What the message of a card shows now. */
export interface ShownCard {
  readonly ts: string;
  /** Of the message. */
  readonly digest: string;
  /** Of the incident that it was rendered from. */
  readonly revision: string;
  readonly facts: Facts;
  /** When the thread is to look at them. */
  readonly tellAt: Date;
}

/** Cards that are not as they should be, by lane, and those that a storm stands for. */
export interface WaitingCards {
  readonly person: number;
  readonly opened: number;
  readonly state: number;
  readonly count: number;
  readonly withheld: number;
}

/** A lease that ran out is another's: what its former holder would write of the card is not written. */
export interface CardStore {
  find(incidentId: string, channelId: string): Promise<Card | null>;
  /**
   * Leases the most urgent card of the channel that is not as it should be, and of equally urgent ones the one that has
   * waited longest; null when there is none due. A new card waits for the storm that gathers there; what Slack has
   * refused several times comes last.
   *
   * @param paused calls that Slack does not take in that channel now: cards that need one are left alone
   */
  claim(channelId: string, now: Date, paused?: readonly CardMethod[]): Promise<Card | null>;
  /**
   * Written before the post, so that a post whose answer is lost can be found again.
   *
   * @returns false: the lease ran out, and nothing may be posted
   */
  beginAttempt(card: Card, attempt: Attempt): Promise<boolean>;
  /**
   * A new message begins its thread with what it shows as told; what a known one shows is left to its thread.
   *
   * @returns for how long the card was not as it should be, in milliseconds; null: the lease ran out, and whoever has it
   * now shows the card once more
   */
  markShown(card: Card, shown: ShownCard): Promise<number | null>;
  /** It is certain that the attempt posted nothing. */
  endAttempt(card: Card): Promise<void>;
  /**
   * @param retryAt when the card may be claimed again
   * @param isRefused Slack refused this very message
   */
  release(card: Card, failure: { error: string; retryAt: Date; isRefused: boolean }): Promise<void>;
  /** The message was deleted, or is another app's: it is posted anew, after the cards of new incidents. */
  forgetMessage(card: Card): Promise<void>;
  /** The cards of the given incidents in that channel. */
  among(channelId: string, incidentIds: readonly string[]): Promise<BelievedCard[]>;
  /** The cards of open incidents in that channel. */
  openIn(channelId: string): Promise<BelievedCard[]>;
  /** The card is another message than we believed, or none (null): it is due. Does nothing if we believe otherwise by now. */
  moveMessage(
    channelId: string,
    incidentId: string,
    message: { from: string | null; to: string | null },
  ): Promise<void>;
  countWaiting(): Promise<WaitingCards>;
}

export function createCardStore(db: Kysely<Tables>): CardStore {
  const one = (card: Pick<Card, 'incidentId' | 'channelId'>) =>
    db.updateTable('cards').where('incident_id', '=', card.incidentId).where('channel_id', '=', card.channelId);
  const held = (card: Card) => one(card).where('leased_until', '=', card.leasedUntil);

  return {
    async find(incidentId, channelId) {
      const row = await db
        .selectFrom('cards')
        .selectAll()
        .where('incident_id', '=', incidentId)
        .where('channel_id', '=', channelId)
        .executeTakeFirst();
      return row === undefined ? null : toCard(row);
    },

    async claim(channelId, now, paused = []) {
      const may = (method: CardMethod) => !paused.includes(method);
      const { rows } = await sql<Selectable<Tables['cards']>>`
        update cards set leased_until = ${new Date(now.getTime() + LEASE_MS)}
        where (incident_id, channel_id) = (
          select incident_id, channel_id from cards
          where channel_id = ${channelId}
            and shown_revision < desired_revision
            and not is_withheld
            and ${isWanted}
            and (ts is not null or attempt_id is not null or storm_id is not null or shown_revision > 0
              or not exists (select from storms where storms.channel_id = ${channelId} and calm_at is null))
            and next_attempt_at <= ${now}
            and (leased_until is null or leased_until <= ${now})
            and (ts is null or ${may('chat.update')})
            and (ts is not null or ${may('chat.postMessage')})
            and (ts is not null or attempt_id is null or ${may('conversations.history')})
          order by ${TURN}
          limit 1
          for update skip locked)
        returning *`.execute(db);
      return rows[0] === undefined ? null : toCard(rows[0]);
    },

    async beginAttempt(card, attempt) {
      const { numUpdatedRows } = await held(card).set(toAttemptRow(attempt)).executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async markShown(card, { ts, digest, revision, facts, tellAt }) {
      const { incidentId, channelId, leasedUntil } = card;
      const shown = JSON.stringify(facts);
      const { rows } = await sql<{ lag_ms: string }>`
        with before as (
          select due_since from cards
          where incident_id = ${incidentId} and channel_id = ${channelId} and leased_until = ${leasedUntil}
          for update
        ), gone as (
          delete from threads
          where incident_id = ${incidentId} and channel_id = ${channelId} and card_ts <> ${ts}
            and exists (select from before)
        ), thread as (
          insert into threads
            (incident_id, channel_id, card_ts, shown, shown_revision, told, told_revision, next_attempt_at)
          select ${incidentId}, ${channelId}, ${ts}, ${shown}::jsonb, ${revision}::bigint, ${shown}::jsonb,
            ${revision}::bigint, ${tellAt}::timestamptz
          from before
          on conflict (incident_id, channel_id, card_ts) do update
          set shown = excluded.shown, shown_revision = excluded.shown_revision,
            next_attempt_at = case when threads.told_revision < threads.shown_revision
              then threads.next_attempt_at else excluded.next_attempt_at end
        )
        update cards set ts = ${ts}, shown_digest = ${digest}, shown_revision = ${revision}, attempt_id = null,
          attempt_at = null, last_attempt_at = null, attempts = 0, refusals = 0, last_error = null, leased_until = null, due_since = now()
        from before
        where incident_id = ${incidentId} and channel_id = ${channelId}
        returning extract(epoch from now() - before.due_since) * 1000 as lag_ms`.execute(db);
      if (rows[0] !== undefined) {
        return Number(rows[0].lag_ms);
      }
      await one(card).set({ shown_digest: null, shown_revision: '0' }).where('ts', '=', ts).execute();
      return null;
    },

    async endAttempt(card) {
      await held(card).set(NO_ATTEMPT).execute();
    },

    async release(card, { error, retryAt, isRefused }) {
      await held(card)
        .set({
          attempts: sql`attempts + 1`,
          refusals: sql`refusals + ${isRefused}::boolean::integer`,
          last_error: error,
          next_attempt_at: retryAt,
          leased_until: null,
        })
        .execute();
    },

    async forgetMessage(card) {
      await held(card)
        .set({
          ts: null,
          shown_digest: null,
          ...NO_ATTEMPT,
          leased_until: null,
          lane: LANES.state,
        })
        .execute();
    },

    async among(channelId, incidentIds) {
      const rows = await db
        .selectFrom('cards')
        .select(BELIEVED)
        .where('channel_id', '=', channelId)
        .where('incident_id', '=', sql<string>`any(${incidentIds}::text[])`)
        .execute();
      return rows.map(toBelieved);
    },

    async openIn(channelId) {
      const rows = await db
        .selectFrom('cards')
        .innerJoin('incidents', 'incidents.incident_id', 'cards.incident_id')
        .select(BELIEVED)
        .where('channel_id', '=', channelId)
        .where('incidents.status', '=', 'open')
        .where('incidents.is_gone', '=', false)
        .execute();
      return rows.map(toBelieved);
    },

    async moveMessage(channelId, incidentId, { from, to }) {
      await one({ incidentId, channelId })
        .set({ ts: to, shown_digest: null, shown_revision: '0', ...dueIn(to === null ? LANES.opened : LANES.state) })
        .where('ts', from === null ? 'is' : '=', from)
        .where('leased_until', 'is', null)
        .where('attempt_id', 'is', null)
        .execute();
    },

    async countWaiting() {
      const { rows } = await sql<{ lane: number; is_withheld: boolean; cards: string }>`
        select lane, is_withheld, count(*) as cards from cards
        where shown_revision < desired_revision and ${isWanted}
        group by lane, is_withheld`.execute(db);
      const sum = (matches: (row: { lane: number; is_withheld: boolean }) => boolean) =>
        rows.filter(matches).reduce((total, row) => total + Number(row.cards), 0);
      const inLane = (lane: number) => sum((row) => !row.is_withheld && row.lane === lane);
      return {
        person: inLane(LANES.person),
        opened: inLane(LANES.opened),
        state: inLane(LANES.state),
        count: inLane(LANES.count),
        withheld: sum((row) => row.is_withheld),
      };
    },
  };
}

const BELIEVED = ['cards.incident_id', 'cards.ts', 'cards.leased_until', 'cards.attempt_id'] as const;

function toBelieved(
  row: Pick<Selectable<Tables['cards']>, 'incident_id' | 'ts' | 'leased_until' | 'attempt_id'>,
): BelievedCard {
  return {
    id: row.incident_id,
    ts: row.ts,
    isBusy: row.leased_until !== null || row.attempt_id !== null,
  };
}

function toCard(row: Selectable<Tables['cards']>): Card {
  return {
    incidentId: row.incident_id,
    channelId: row.channel_id,
    ts: row.ts,
    attempt: toAttempt(row),
    shownDigest: row.shown_digest,
    attempts: row.attempts,
    refusals: row.refusals,
    leasedUntil: row.leased_until,
  };
}
