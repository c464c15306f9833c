import { MESSAGE_EVENT_TYPES } from '../domain/ids.ts';
import { MESSAGE_KINDS, type Message, type MessageKindName } from '../store/messages.ts';

/** What a message of ours is, as its metadata in Slack says. */
export interface FoundMessage {
  readonly ts: string;
  readonly kind: MessageKindName;
  readonly subject: string;
  readonly attemptId: string;
  readonly hasReplies: boolean;
}

interface SlackHistoryMessage {
  readonly ts?: string;
  readonly reply_count?: number;
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: object };
}

export function metadataOf({ kind, subject }: Pick<Message, 'kind' | 'subject'>, attemptId: string) {
  return { event_type: MESSAGE_EVENT_TYPES[kind], event_payload: { subject, attempt_id: attemptId } };
}

/** @returns null: not a message of ours */
export function readMetadata({ ts, reply_count: replies = 0, metadata }: SlackHistoryMessage): FoundMessage | null {
  const kind = MESSAGE_KINDS.find((name) => MESSAGE_EVENT_TYPES[name] === metadata?.event_type);
  const subject: unknown = Reflect.get(metadata?.event_payload ?? {}, 'subject');
  const attemptId: unknown = Reflect.get(metadata?.event_payload ?? {}, 'attempt_id');
  return kind === undefined || ts === undefined || typeof subject !== 'string' || typeof attemptId !== 'string'
    ? null
    : { ts, kind, subject, attemptId, hasReplies: replies > 0 };
}
