import { type Kysely, sql } from 'kysely';
import { fromNow } from '../../database/lease.ts';
import type { StormRules } from '../domain/storm.ts';
import type { Bucket, Pause } from '../domain/throttle.ts';
import { isClaimable } from './due.ts';
import type { Tables } from './tables.ts';

/** A channel or direct message with due messages. */
export interface DuePlace {
  readonly channelId: string;
  /** It has a storm, or one may start. */
  readonly isStormy: boolean;
  readonly bucket: Bucket;
  readonly pauses: readonly Pause[];
  /** The database's time. */
  readonly now: Date;
}

export async function findDuePlaces(db: Kysely<Tables>, { windowMs, incidents }: StormRules): Promise<DuePlace[]> {
  const { rows } = await sql<PlaceRow>`
        select * from (
          select channel_id, tokens, counted_at, clock_now() as now,
            exists (
              select from messages where messages.channel_id = channels.channel_id and ${isClaimable}) as is_due,
            exists (
              select from messages where messages.channel_id = channels.channel_id
                and kind = 'storm' and data->>'endedAt' is null)
              or (subscribed_as is not null and ${incidents} < (
                select count(*) from messages where messages.channel_id = channels.channel_id
                  and kind = 'card' and created_at > ${fromNow(-windowMs)})) as is_stormy,
            (select coalesce(jsonb_agg(pause), '[]') from slack_pauses as pause
              where pause.channel_id is null or pause.channel_id = channels.channel_id) as pauses
          from channels
        ) as place
        where is_due or is_stormy`.execute(db);
  return rows.map(toPlace);
}

interface PlaceRow {
  readonly channel_id: string;
  readonly tokens: number;
  readonly counted_at: Date | number;
  readonly now: Date;
  readonly is_stormy: boolean;
  readonly pauses: readonly (Pick<Pause, 'call' | 'reason' | 'failures'> & {
    readonly channel_id: string | null;
    readonly since: string;
    readonly until: string;
  })[];
}

function toPlace(row: PlaceRow): DuePlace {
  return {
    channelId: row.channel_id,
    isStormy: row.is_stormy,
    bucket: { tokens: row.tokens, countedAt: new Date(row.counted_at) },
    pauses: row.pauses.map(({ channel_id: channelId, since, until, ...pause }) => ({
      ...pause,
      channelId,
      since: new Date(since),
      until: new Date(until),
    })),
    now: row.now,
  };
}
