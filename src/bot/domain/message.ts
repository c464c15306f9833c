import type { Attempt } from './attempt.ts';
import type { Facts } from './facts.ts';
import type { Reminded } from './reminder.ts';

export const MESSAGE_KINDS = [
  'card',
  'storm',
  'reply',
  'reminder',
  'alert',
  'answer',
  'notice',
  'handover',
  'sign-in',
  'home',
] as const;
export type MessageKindName = (typeof MESSAGE_KINDS)[number];

/** Kinds that are messages in Slack, unlike Home tabs. */
export type PostedKindName = Exclude<MessageKindName, 'home'>;

/** What is stored beside the message for its kind. It may change while the message is leased. Times are ISO strings. */
export interface MessageData {
  /** `card`: what the card shows, and what its thread has reported. */
  readonly shown?: Facts;
  readonly told?: Facts;
  /** `card`: the `ts` whose address the service has. */
  readonly linkedTs?: string;
  /** `card` and `storm`: what its thread was reminded of. */
  readonly reminded?: Reminded;
  /** `storm` */
  readonly startedAt?: string;
  readonly calmAt?: string | null;
  readonly endedAt?: string | null;
  /** `alert`: when it became due, and what its subject is. */
  readonly dueAt?: string;
  readonly about?: 'card' | 'storm';
  /** `handover`: the time of the last one. */
  readonly sentFor?: string;
  /** `notice`: its text, in mrkdwn; in the thread of a card: the incident. */
  readonly text?: string;
  readonly incidentId?: string;
  /** `sign-in`: the page to open afterwards, and when it was asked for. */
  readonly returnTo?: string;
  readonly askedAt?: string;
}

/** A message under a lease. */
export interface Message {
  readonly id: string;
  readonly kind: MessageKindName;
  readonly channelId: string;
  readonly threadTs: string | null;
  readonly subject: string;
  readonly data: MessageData;
  /** null: not posted, as far as known. */
  readonly ts: string | null;
  /** Digest of the content in Slack; null: unknown. */
  readonly digest: string | null;
  /** A post that may have happened without a response. */
  readonly attempt: Attempt | null;
  readonly attemptData: unknown;
  readonly failures: number;
  readonly refusals: number;
  readonly revision: string;
  /** Identifies the claim. */
  readonly lease: string;
}
