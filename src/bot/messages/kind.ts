import type { ModalView } from '@slack/types';
import { type ZodType, z } from 'zod';
import type { SlackMessage } from '../slack/slack-message.ts';
import type { AttemptData, Message, MessageData, MessageKindName } from './message.ts';
import type { Writes } from './message-store.ts';

/** The current content of a message. */
export interface Rendered<Kind extends MessageKindName = MessageKindName> {
  readonly content: SlackMessage;
  /** The same content as a modal, for views that are shown in one. */
  readonly modal?: ModalView;
  /** Content for comparison with the last one, without changes that are not worth an edit; absent: `content`. */
  readonly comparedAs?: SlackMessage;
  /** Stored with the attempt, and passed to `render` as long as it is unclear whether the attempt was posted. */
  readonly attemptData?: AttemptData<Kind>;
  /** For messages that are sent once: another message must follow. */
  readonly hasMore?: boolean;
  /** Minimum delay before the next redraw, in milliseconds. */
  readonly restMs?: number;
  /** Written together with the confirmation that the message is at `ts`. */
  readonly also?: (ts: string) => Writes;
}

/** A modal as the content of a message. */
export function inModal(modal: ModalView): Required<Pick<Rendered, 'content' | 'modal'>> {
  return { content: { text: JSON.stringify(modal.blocks), blocks: [] }, modal };
}

/** The message must not be shown before this time. Only for messages without a `ts`. */
export interface Held {
  readonly heldUntil: Date;
}

/** The message is no longer wanted, but an earlier attempt may have posted it. Only for messages with an attempt. */
export interface Withdrawn {
  /** Written if it was posted. One that is kept true must be made due by it, to show that it is over. */
  readonly ifPosted: Writes;
  /** When to look again if it was not found, because it may still arrive. */
  readonly heldUntil: Date;
}

/** The content of one kind of message. All kinds share the protocol in `message-effect.ts`. */
export interface MessageKind<Kind extends MessageKindName = MessageKindName> {
  /** A message, with the id of its subject in this field of its metadata; or what one person sees and nobody can find. */
  readonly shownAs: { readonly subjectField: string } | 'home tab' | 'open view';
  /** Reads what is stored beside the message. */
  readonly data: ZodType<MessageData<Kind>>;
  /** Reads what is stored with an attempt; absent: its content does not matter. */
  readonly attemptData?: ZodType<AttemptData<Kind>>;
  /** Kept true: edited when its content changes. Sent once: its row is deleted once it is posted. */
  readonly lifecycle: 'kept true' | 'sent once';
  /** The shortest pause after a failure, in milliseconds. */
  readonly shortestRetryMs: number;
  /** Renders the latest state; null: there is nothing to show. */
  render(message: Message<Kind>): Promise<Rendered<Kind> | Withdrawn | Held | null>;
  /**
   * Called when Slack refused this message.
   *
   * @returns what to write when giving up; null: retry
   */
  giveUp?(message: Message<Kind>, error: string): Promise<Writes | null>;
}

/** For kinds that store nothing beside the message. */
export const NOTHING_STORED = z.unknown();

/** Reads what is stored of a message as its kind understands it. */
export function readStored(kind: MessageKind, stored: Message): Message {
  const attemptData = stored.attemptData === null ? null : (kind.attemptData?.parse(stored.attemptData) ?? null);
  return { ...stored, data: kind.data.parse(stored.data), attemptData } as Message; // as its kind declares them
}

/** All kinds of messages: one that is missing does not compile. */
export type MessageKinds = { readonly [Kind in MessageKindName]: MessageKind<Kind> };
