import { type Kysely, sql } from 'kysely';
import { fromNow } from '../../database/lease.ts';
import type { StormRules } from '../domain/storm.ts';
import type { Bucket, Pause } from '../domain/throttle.ts';
import { isClaimable } from './due.ts';
import { listPauses } from './pauses.ts';
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
  const [places, pauses] = await Promise.all([
    sql<Omit<DuePlace, 'bucket' | 'pauses'> & Bucket>`
      select * from (
        select channel_id as "channelId", tokens, counted_at as "countedAt", clock_now() as now,
          exists (select from messages where messages.channel_id = channels.channel_id and ${isClaimable}) as "isDue",
          exists (
            select from messages where messages.channel_id = channels.channel_id
              and kind = 'storm' and data->>'endedAt' is null)
            or (exists (select from rules where rules.channel_id = channels.channel_id) and ${incidents} < (
              select count(*) from messages where messages.channel_id = channels.channel_id
                and kind = 'card' and held_until is null and created_at > ${fromNow(-windowMs)})) as "isStormy"
        from channels
      ) as place
      where "isDue" or "isStormy"`.execute(db),
    listPauses(db),
  ]);
  return places.rows.map(({ channelId, isStormy, tokens, countedAt, now }) => ({
    channelId,
    isStormy,
    bucket: { tokens, countedAt },
    pauses: pauses.filter((pause) => pause.channelId === null || pause.channelId === channelId),
    now,
  }));
}
