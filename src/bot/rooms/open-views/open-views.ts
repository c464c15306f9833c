import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { fromNow } from '../../../database/lease.ts';
import { URGENCY, type Urgency } from '../../incident/urgency.ts';
import { insertMessages } from '../../messages/insert-messages.ts';
import type { Message } from '../../messages/message.ts';
import type { Writes } from '../../messages/message-store.ts';
import type { IncidentId, SlackUserId } from '../../slack/identifiers.ts';
import type { Tables } from '../../tables.ts';
import type { OpenView, ShownIn } from './open-view.ts';

/** See `OpenView`. */
export const OPEN_VIEW_DATA = z.object({
  what: z.string().default(''),
  viewId: z.string().nullable().default(null),
  responseUrl: z.string().nullable().default(null),
  messageTs: z.string().nullable().default(null),
  incidentIds: z.array(z.string()).default([]),
  until: z.string().default(new Date(0).toISOString()),
  refreshes: z.number().default(0),
});

/** Kinds that a listener shows to one person, and that are only replaced afterwards. */
export type OpenViewKindName = 'list' | 'signals';

declare module '../../messages/message.ts' {
  interface MessageTypes {
    /** The place is the person who sees the view; the subject is its modal or its channel. */
    list: { placeId: SlackUserId; subject: string; data: z.infer<typeof OPEN_VIEW_DATA>; attemptData: null };
    signals: { placeId: SlackUserId; subject: string; data: z.infer<typeof OPEN_VIEW_DATA>; attemptData: null };
  }
}

/** Delay before a refresh, because a click in the view redraws it anyway. */
const SETTLE_MS = 1_000;
/** Upper bound for showing a message. Slack takes a refresh that arrives before it for a message of its own. */
const SHOW_MS = 30_000;
/** Placeholder for `ts`: the place of a view is in its data. */
const SHOWN = 'shown';

/** Views that one person sees: lists and signals. They are refreshed when one of their incidents changes. */
export interface OpenViewStore {
  /** @param isDue it is out of date already */
  watch(
    slackUserId: SlackUserId,
    view: OpenView & { readonly kind: OpenViewKindName; readonly channelId: ShownIn['channelId'] },
    isDue: boolean,
  ): Promise<void>;
  /** `what` is shown there now; null: it is not followed. */
  findWhat(shownIn: ShownIn): Promise<string | null>;
  /** It was shown, so it may be refreshed. Makes it due if it is to show something else than `drawn`, which replaced it. */
  confirm(shownIn: ShownIn, drawn: string): Promise<void>;
  /** Deletes views that are past their `until`. Their content in Slack says when it was read. */
  forgetOld(): Promise<void>;
}

export function createOpenViewStore(db: Kysely<Tables>): OpenViewStore {
  return {
    async watch(slackUserId, { kind, channelId, ...view }, isDue) {
      const columns = {
        channel_id: slackUserId,
        subject: view.viewId ?? channelId ?? slackUserId,
        data: sql`${JSON.stringify(view)}::jsonb`,
        ts: SHOWN,
        needs_redraw: sql`${isDue}::boolean`,
        retry_at: view.viewId === null ? fromNow(SHOW_MS) : null,
      };
      const onConflict = sql`update
        set data = excluded.data, ts = excluded.ts, digest = null, needs_redraw = excluded.needs_redraw,
          revision = messages.revision + 1, due_since = clock_now(), failures = 0, refusals = 0, retry_at = excluded.retry_at,
          held_until = null`;
      await db.transaction().execute(async (tx) => {
        await sql`insert into channels (channel_id) values (${slackUserId}) on conflict do nothing`.execute(tx);
        await insertMessages(kind, URGENCY.state, columns, { onConflict }).execute(tx);
      });
    },

    async findWhat(shownIn) {
      const { rows } = await sql<{ what: string }>`
        select data->>'what' as what from messages where ${isThere(shownIn)}`.execute(db);
      return rows[0]?.what ?? null;
    },

    async confirm(shownIn, drawn) {
      const { responseUrl } = shownIn;
      if (responseUrl !== null) {
        await sql`
          update messages set retry_at = null
          where kind = 'list' and subject = ${shownIn.channelId} and data->>'responseUrl' = ${responseUrl}`.execute(db);
      }
      await sql`
        update messages set needs_redraw = true, revision = revision + 1, digest = null, retry_at = null,
          held_until = null, due_since = clock_now()
        where ${isThere(shownIn)} and data->>'what' <> ${drawn}`.execute(db);
    },

    async forgetOld() {
      await sql`
        delete from messages
        where kind in ('list', 'signals') and leased_until is null and (data->>'until')::timestamptz < clock_now()`.execute(
        db,
      );
    },
  };
}

function isThere({ viewId, channelId, messageTs = null }: ShownIn): RawBuilder<boolean> {
  return viewId === null
    ? sql`kind = 'list' and subject = ${channelId} and data->>'messageTs' = ${messageTs}`
    : sql`kind in ('list', 'signals') and subject = ${viewId}`;
}

/** Makes views of the incident due: views of its signals always, lists only if its state has changed. */
export function redrawOpenViews(
  incidentId: IncidentId,
  urgency: Urgency,
  condition: RawBuilder<boolean>,
): RawBuilder<unknown> {
  return sql`
    update messages set needs_redraw = true, revision = revision + 1, urgency = ${URGENCY.state}::smallint,
      held_until = case when needs_redraw then held_until else ${fromNow(SETTLE_MS)} end,
      due_since = case when needs_redraw then due_since else clock_now() end
    where kind in ('list', 'signals') and (kind = 'signals' or ${urgency <= URGENCY.state}::boolean)
      and jsonb_exists(data->'incidentIds', ${incidentId}) and ${condition}`;
}

/** Counts a refresh, unless the view was shown anew meanwhile. @param incidentIds what it shows now; null: it was the last */
export function recordRefresh(
  { id, data }: Message<OpenViewKindName>,
  incidentIds: readonly IncidentId[] | null,
): Writes {
  return async (tx) => {
    const isSame = sql<boolean>`(data->>'until' = ${data.until} and data->>'what' = ${data.what})`;
    // This older content may have replaced a newer view, so the next refresh is not delayed.
    await tx
      .updateTable('messages')
      .set({ retry_at: null })
      .where('id', '=', id)
      .where(sql<boolean>`not ${isSame}`)
      .execute();
    if (incidentIds === null) {
      await tx.deleteFrom('messages').where('id', '=', id).where(isSame).execute();
      return;
    }
    const next: OpenView = { ...data, incidentIds, refreshes: data.refreshes + 1 };
    await tx
      .updateTable('messages')
      .set({ data: JSON.stringify(next) })
      .where('id', '=', id)
      .where(isSame)
      .execute();
  };
}
