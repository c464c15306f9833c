import { sql } from 'kysely';
import { z } from 'zod';
import type { MessageData } from '../../messages/message.ts';
import type { ChannelId, StormId } from '../../slack/identifiers.ts';
import { STORED_REMINDED } from '../reminders/reminder.ts';
import type { Storm } from './storm.ts';

/** An ISO string. */
const time = z.string();
export const STORM_DATA = z.object({
  startedAt: time.optional(),
  calmAt: time.nullish(),
  endedAt: time.nullish(),
  reminded: STORED_REMINDED.optional(),
});

declare module '../../messages/message.ts' {
  interface MessageTypes {
    storm: { placeId: ChannelId; subject: StormId; data: z.infer<typeof STORM_DATA>; attemptData: null };
  }
}

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
