import { type RawBuilder, sql } from 'kysely';
import type { MessageKindName } from '../domain/message.ts';
import type { Urgency } from '../domain/urgency.ts';
import type { Tables } from './tables.ts';

/** Makes an existing message due; content that is being sent at the moment counts as outdated. */
export const DRAW_AGAIN = sql`update set revision = messages.revision + 1, needs_redraw = true`;

type Column = Exclude<keyof Tables['messages'], 'kind' | 'urgency'>;

/** Expressions for columns of new messages. All others have their defaults: due at once, posted nowhere. */
type NewColumns = Readonly<Record<'channel_id' | 'subject', unknown>> & Readonly<Partial<Record<Column, unknown>>>;

/**
 * Adds messages, which are due at once. There is at most one per kind, subject, place and thread.
 *
 * @param options.from relations and conditions that the expressions refer to; absent: one message
 * @param options.onConflict what happens to a message that exists already; absent: nothing
 */
export function insertMessages(
  kind: MessageKindName,
  urgency: Urgency,
  columns: NewColumns,
  { from, onConflict }: { readonly from?: RawBuilder<unknown>; readonly onConflict?: RawBuilder<unknown> } = {},
): RawBuilder<unknown> {
  const names = Object.keys(columns).map((name) => sql.ref(name));
  return sql`
    insert into messages (kind, urgency, ${sql.join(names)})
    select ${sql.lit(kind)}, ${sql.lit(urgency)}::smallint, ${sql.join(Object.values(columns))}
    ${from === undefined ? sql`` : sql`from ${from}`}
    ${
      onConflict === undefined
        ? sql`on conflict do nothing`
        : sql`on conflict (subject, kind, channel_id, thread_ts) do ${onConflict}`
    }`;
}
