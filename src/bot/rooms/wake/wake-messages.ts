import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { URGENCY } from '../../incident/urgency.ts';
import { redraw } from '../../messages/due.ts';
import { insertMessages } from '../../messages/insert-messages.ts';
import type { MessageData } from '../../messages/message.ts';
import type { IncidentId, SlackUserId } from '../../slack/identifiers.ts';
import type { Tables } from '../../tables.ts';

/** An attempt of the service to wake somebody; the incidents that an answer takes, and what is said once it is over. */
export const WAKE_DATA = z.object({
  /** null: a test of this way. */
  pageId: z.string().nullable().default(null),
  incidentIds: z.array(z.string()).default([]),
  title: z.string().default(''),
  lines: z.array(z.string()).default([]),
  ended: z.string().nullish(),
});

declare module '../../messages/message.ts' {
  interface MessageTypes {
    /** About an attempt of the service. */
    wake: { placeId: SlackUserId; subject: string; data: z.infer<typeof WAKE_DATA>; attemptData: null };
  }
}

/** An attempt of the service to wake somebody by a direct message. */
export interface Wake extends Pick<MessageData<'wake'>, 'pageId' | 'incidentIds' | 'title' | 'lines'> {
  readonly attemptId: string;
  readonly slackUserId: SlackUserId;
}

export interface WakeStore {
  /** Makes the direct message due, once for each attempt. */
  ask(wake: Wake): Promise<void>;
  /** Says in the message of an attempt, if there is one, that it is over. @param words who has it, or why */
  end(attemptId: string, words: string): Promise<void>;
}

export function createWakeStore(db: Kysely<Tables>): WakeStore {
  return {
    async ask({ attemptId, slackUserId, ...data }) {
      const columns = { channel_id: slackUserId, subject: attemptId, data: sql`${JSON.stringify(data)}::jsonb` };
      await sql`
        with place as (
          insert into channels (channel_id) values (${slackUserId}) on conflict do nothing
        )
        ${insertMessages('wake', URGENCY.person, columns)}`.execute(db);
    },
    end: (attemptId, words) => endWake(db, attemptId, words),
  };
}

/** See `WakeStore.end`. */
export async function endWake(db: Kysely<Tables>, attemptId: string, words: string): Promise<void> {
  await sql`
    with ended as (
      update messages set data = data || ${JSON.stringify({ ended: words })}::jsonb
      where kind = 'wake' and subject = ${attemptId} and data->>'ended' is null returning id
    ) select from ended`.execute(db);
  await redraw(sql<boolean>`kind = 'wake' and subject = ${attemptId}`, URGENCY.person).execute(db);
}

/** Makes the messages due that wake somebody for an incident. */
export function redrawWakes(incidentId: IncidentId, condition: RawBuilder<boolean>): RawBuilder<unknown> {
  return redraw(
    sql<boolean>`kind = 'wake' and jsonb_exists(data->'incidentIds', ${incidentId}) and ${condition}`,
    URGENCY.state,
  );
}
