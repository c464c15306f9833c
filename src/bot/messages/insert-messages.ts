import type { ColumnType, Generated } from 'kysely';
import { type RawBuilder, sql } from 'kysely';
import type { Urgency } from '../incident/urgency.ts';
import type { MessageId, PlaceId, StormId } from '../slack/identifiers.ts';
import type { Tables } from '../tables.ts';
import type { MessageKindName } from './message.ts';
import type { MessageCall } from './throttle.ts';

declare module '../tables.ts' {
  interface Tables {
    /** Messages that must be shown exactly once: see `messages.ts`. */
    messages: {
      id: Generated<MessageId>;
      kind: MessageKindName;
      channel_id: PlaceId;
      /** The message whose thread it belongs to; null: not in a thread. */
      thread_ts: string | null;
      /** Id of an incident, a storm or a person, depending on the kind. */
      subject: string;
      /** See `MessageKind.data`. */
      data: ColumnType<unknown, string, string>;
      ts: string | null;
      /** Digest of the content in Slack; null: unknown. */
      digest: string | null;
      needs_redraw: Generated<boolean>;
      /** Counts the changes of the wanted content. */
      revision: Generated<string>;
      urgency: number;
      /** Since when the message is out of date. */
      due_since: Generated<Date>;
      /** When it was first shown; null: never. */
      shown_at: Date | null;
      attempt_id: string | null;
      attempt_first_at: Date | null;
      attempt_last_at: Date | null;
      /** Content of the attempt, for kinds that must repeat it unchanged. */
      attempt_data: ColumnType<unknown, string | null, string | null>;
      /** The next Slack call; generated. */
      next_call: Generated<MessageCall>;
      retry_at: Date | null;
      /** It is not sent before this time; null: it may be sent now. */
      held_until: Date | null;
      failures: Generated<number>;
      /** Failures since it was last shown in which Slack refused this message. */
      refusals: Generated<number>;
      last_error: string | null;
      leased_until: Date | null;
      /** Identifies the last claim. */
      lease: Generated<string>;
      /** The storm message that lists this card's incident. */
      storm_id: StormId | null;
      /** The storm message replaces this card. */
      is_withheld: Generated<boolean>;
      created_at: Generated<Date>;
    };
  }
}

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
