import { CLOCK_STEP_MS } from '../../runtime/clock.ts';
import type { PlaceId } from './identifiers.ts';

/** The Web API calls of the reconciler. */
export type MessageCall =
  | 'chat.postMessage'
  | 'chat.update'
  | 'conversations.history'
  | 'conversations.replies'
  | 'views.publish';

/** Slack allows about one message per second and channel, with short bursts. */
const BURST = 5;
const REFILL_MS = 1_000;
/** Tokens that replies leave for more urgent messages. */
const SPARE_FOR_CARDS = 2;

/** Token bucket of a channel, shared by all processes. */
export interface Bucket {
  readonly tokens: number;
  readonly countedAt: Date;
}

/** A period without calls to Slack: after a rate limit, an outage, or a refused channel or token. */
export interface Pause {
  /** null: any call. */
  readonly call: MessageCall | null;
  /** null: in any channel. */
  readonly placeId: PlaceId | null;
  /** Slack's error, `ratelimited`, or `no answer`. */
  readonly reason: string;
  /** Consecutive failures; 0: a call has succeeded since. */
  readonly failures: number;
  readonly since: Date;
  readonly until: Date;
}

/** What may currently be sent to a channel. */
export interface Permit {
  /** Empty: nothing. */
  readonly calls: readonly MessageCall[];
  /** Only replies need more room than one message. */
  readonly allowsReplies: boolean;
  /** The bucket after one message. */
  readonly after: Bucket;
  /** Delay until the next message, in milliseconds. */
  readonly waitMs: number;
}

export function permitOf(bucket: Bucket, pauses: readonly Pause[], now: Date): Permit {
  const tokens = refilled(bucket, now);
  const isPaused = (call: MessageCall) =>
    pauses.some((pause) => (pause.call === null || pause.call === call) && isActive(pause, now));
  const mayPost = !isPaused('chat.postMessage');
  const may: Readonly<Record<MessageCall, boolean>> = {
    'chat.postMessage': mayPost,
    'chat.update': !isPaused('chat.update'),
    // A search that finds nothing is followed by a post.
    'conversations.history': mayPost && !isPaused('conversations.history'),
    'conversations.replies': mayPost && !isPaused('conversations.replies'),
    'views.publish': !isPaused('views.publish'),
  };
  const calls = (Object.keys(may) as MessageCall[]).filter((call) => may[call]);
  return {
    calls: tokens >= 1 ? calls : [],
    allowsReplies: tokens >= 1 + SPARE_FOR_CARDS,
    after: { tokens: tokens - 1, countedAt: now },
    waitMs: Math.max(0, Math.ceil((1 - tokens) * REFILL_MS)),
  };
}

/** A pause that starts far in the future was stored before the clock was set back, so it is ignored. */
export function isActive({ since, until }: Pause, now: Date): boolean {
  return since.getTime() - now.getTime() <= CLOCK_STEP_MS && now < until;
}

function refilled({ tokens, countedAt }: Bucket, now: Date): number {
  const passedMs = now.getTime() - countedAt.getTime();
  return passedMs < -CLOCK_STEP_MS ? BURST : Math.min(BURST, tokens + Math.max(0, passedMs) / REFILL_MS);
}
