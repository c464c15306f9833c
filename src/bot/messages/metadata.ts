import { MESSAGE_METADATA } from '../domain/ids.ts';
import type { Message, PostedKindName } from '../domain/message.ts';

const POSTED = Object.keys(MESSAGE_METADATA) as PostedKindName[]; // the keys of an object literal

/** A message of the bot, identified by its metadata in Slack. */
export interface FoundMessage {
  readonly ts: string;
  readonly kind: PostedKindName;
  readonly subject: string;
  readonly attemptId: string;
  readonly hasReplies: boolean;
}

interface SlackHistoryMessage {
  readonly ts?: string;
  readonly reply_count?: number;
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: object };
}

export function metadataOf(
  { kind, subject }: { readonly kind: PostedKindName; readonly subject: Message['subject'] },
  attemptId: string,
) {
  const { eventType, subjectField } = MESSAGE_METADATA[kind];
  return { event_type: eventType, event_payload: { [subjectField]: subject, attempt_id: attemptId } };
}

/** @returns null: not a message of the bot */
export function readMetadata({ ts, reply_count: replies = 0, metadata }: SlackHistoryMessage): FoundMessage | null {
  const kind = POSTED.find((name) => MESSAGE_METADATA[name].eventType === metadata?.event_type);
  if (kind === undefined || ts === undefined) {
    return null;
  }
  const subject: unknown = Reflect.get(metadata?.event_payload ?? {}, MESSAGE_METADATA[kind].subjectField);
  const attemptId: unknown = Reflect.get(metadata?.event_payload ?? {}, 'attempt_id');
  return typeof subject === 'string' && typeof attemptId === 'string'
    ? { ts, kind, subject, attemptId, hasReplies: replies > 0 }
    : null;
}
