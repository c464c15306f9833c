import { sql } from 'kysely';
import type { ChannelId, StormId } from '../domain/identifiers.ts';
import type { MessageData } from '../domain/message.ts';
import type { Storm } from '../domain/storm.ts';

/** The cards of storms, as `card`, with their incidents, as `i`. */
export const MEMBERS = sql`messages as card join incidents as i on i.incident_id = card.subject`;

/** The cards of one storm, among `MEMBERS`. */
export const ofStorm = (stormId: StormId) => sql<boolean>`card.storm_id = ${stormId} and card.kind = 'card'`;

export function toStorm(
  id: StormId,
  channelId: ChannelId,
  { startedAt, calmAt, endedAt }: MessageData<'storm'>,
): Storm {
  const moment = (at: string | null | undefined) => (at === null || at === undefined ? null : new Date(at));
  return {
    id,
    channelId,
    startedAt: new Date(startedAt ?? 0),
    calmAt: moment(calmAt),
    endedAt: moment(endedAt),
  };
}
