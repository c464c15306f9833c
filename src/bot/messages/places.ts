import { type Kysely, sql } from 'kysely';
import { fromNow } from '../../database/lease.ts';
import { prepared } from '../../database/prepared.ts';
import type { Urgency } from '../incident/urgency.ts';
import type { ChannelId, PlaceId } from '../slack/identifiers.ts';
import type { Tables } from '../tables.ts';
import { isClaimable, STORM_GOES_ON, TURN } from './due.ts';
import { listPauses } from './pauses.ts';
import type { Bucket, Pause } from './throttle.ts';

/** A channel or direct message with due messages, or with a storm. */
export interface DuePlace {
  readonly placeId: PlaceId;
  /** Urgency of the most urgent due message; null: none is due. */
  readonly urgency: Urgency | null;
  /** The id of this channel if it has a storm or one may start; null: neither. */
  readonly stormyChannelId: ChannelId | null;
  readonly bucket: Bucket;
  readonly pauses: readonly Pause[];
  /** The database's time. */
  readonly now: Date;
}

/** When a storm may start: more cards than that within the window. */
export interface StormStart {
  readonly windowMs: number;
  readonly incidents: number;
}

/** The places with the most urgent messages come first, and among those the ones that have waited longest. */
export async function findDuePlaces(db: Kysely<Tables>, { windowMs, incidents }: StormStart): Promise<DuePlace[]> {
  const [places, pauses] = await Promise.all([
    sql<Omit<DuePlace, 'bucket' | 'pauses'> & Bucket>`
      ${prepared('due-places')}
      with due as (
        select distinct on (channel_id) channel_id, ${TURN.urgency} as urgency, ${TURN.since} as since
        from messages where ${isClaimable}
        order by channel_id, 2, 3
      ), stormy as (
        select channel_id from messages where ${STORM_GOES_ON}
        union
        select channel_id from rules where ${incidents} < (
          select count(*) from messages where messages.channel_id = rules.channel_id
            and kind = 'card' and held_until is null and created_at > ${fromNow(-windowMs)})
      )
      select channel_id as "placeId", urgency, tokens as posts, edit_tokens as edits, counted_at as "countedAt", clock_now() as now,
        stormy.channel_id as "stormyChannelId"
      from due full join stormy using (channel_id) join channels using (channel_id)
      order by urgency, since`.execute(db),
    listPauses(db),
  ]);
  return places.rows.map(({ placeId, urgency, stormyChannelId, posts, edits, countedAt, now }) => ({
    placeId,
    urgency,
    stormyChannelId,
    bucket: { posts, edits, countedAt },
    pauses: pauses.filter((pause) => pause.placeId === null || pause.placeId === placeId),
    now,
  }));
}
