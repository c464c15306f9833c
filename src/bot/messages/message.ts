import type { MessageId } from '../slack/identifiers.ts';
import type { Attempt } from './attempt.ts';

/**
 * The kinds of messages: where a message of the kind goes (`placeId`), what it is about (`subject`), what is stored beside
 * it (`data`) and with an attempt (`attemptData`; null: the content of an attempt does not matter). Each is declared by its
 * owner, which adds it to this interface.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the owners of the kinds fill it
export interface MessageTypes {}

export type MessageKindName = keyof MessageTypes;

export type MessageData<Kind extends MessageKindName> = MessageTypes[Kind]['data'];
export type AttemptData<Kind extends MessageKindName> = MessageTypes[Kind]['attemptData'];

/** A message under a lease. `attemptData`: null: there is no attempt, or its content does not matter. */
export type Message<Kind extends MessageKindName = MessageKindName> = {
  readonly [Each in Kind]: Leased & Readonly<MessageTypes[Each]> & { readonly kind: Each };
}[Kind];

interface Leased {
  readonly id: MessageId;
  readonly threadTs: string | null;
  /** null: not posted, as far as known. */
  readonly ts: string | null;
  /** Digest of the content in Slack; null: unknown. */
  readonly digest: string | null;
  /** A post that may have happened without a response. */
  readonly attempt: Attempt | null;
  readonly failures: number;
  readonly refusals: number;
  readonly revision: string;
  /** Identifies the claim. */
  readonly lease: string;
}
