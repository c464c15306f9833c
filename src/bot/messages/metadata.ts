import type { MessageKind } from './kind.ts';
import type { Message, MessageKindName } from './message.ts';

/** A message of the bot, identified by its metadata in Slack. */
export interface FoundMessage {
  readonly ts: string;
  readonly kind: MessageKindName;
  readonly subject: string;
  readonly attemptId: string;
  readonly hasReplies: boolean;
}

export interface SlackHistoryMessage {
  readonly ts?: string;
  readonly reply_count?: number;
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: object };
}

/** Marks a duplicate that has replies, so it was replaced by a note instead of deleted. */
export const DUPLICATE_EVENT_TYPE = 'tocsin_duplicate';

/** Old messages keep it, so a kind is never renamed. */
const eventTypeOf = (kind: string) => `tocsin_${kind.replaceAll('-', '_')}`;

/** @param subjectField the field with the id of the subject */
export function metadataOf(
  { kind, subject }: Pick<Message, 'kind' | 'subject'>,
  subjectField: string,
  attemptId: string,
) {
  return { event_type: eventTypeOf(kind), event_payload: { [subjectField]: subject, attempt_id: attemptId } };
}

/** @returns what reads the metadata of a message; that gives null: not a message of the bot */
export function createReadMetadata(kinds: Readonly<Record<MessageKindName, Pick<MessageKind, 'shownAs'>>>) {
  const fields = new Map<string | undefined, { readonly kind: MessageKindName; readonly subjectField: string }>();
  for (const [name, { shownAs }] of Object.entries(kinds)) {
    if (typeof shownAs === 'object') {
      const kind = name as MessageKindName; // a key of the kinds
      fields.set(eventTypeOf(kind), { kind, ...shownAs });
    }
  }
  return ({ ts, reply_count: replies = 0, metadata }: SlackHistoryMessage): FoundMessage | null => {
    const found = fields.get(metadata?.event_type);
    if (found === undefined || ts === undefined) {
      return null;
    }
    const { kind, subjectField } = found;
    const subject: unknown = Reflect.get(metadata?.event_payload ?? {}, subjectField);
    const attemptId: unknown = Reflect.get(metadata?.event_payload ?? {}, 'attempt_id');
    return typeof subject === 'string' && typeof attemptId === 'string'
      ? { ts, kind, subject, attemptId, hasReplies: replies > 0 }
      : null;
  };
}
