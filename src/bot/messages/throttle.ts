import { CLOCK_STEP_MS } from '../../runtime/clock.ts';
import type { PlaceId } from '../slack/identifiers.ts';

/** The Web API calls of the reconciler. */
export type MessageCall =
  | 'chat.postMessage'
  | 'chat.update'
  | 'conversations.history'
  | 'conversations.replies'
  | 'views.publish';

/** Slack allows about one message per second and channel, with short bursts. Edits get as many of their own. */
const BURST = 5;
const REFILL_MS = 1_000;
/** Tokens that replies leave for more urgent messages. */
const SPARE_FOR_CARDS = 2;

/** Tokens of a channel, shared by all processes. Edits have their own, so that a new card never waits for them. */
export interface Bucket {
  readonly posts: number;
  readonly edits: number;
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
  /** The bucket as of now, before anything is sent. */
  readonly refilled: Bucket;
  /** Delay until the next post or edit, in milliseconds. */
  readonly waitMs: number;
}

export function permitOf(bucket: Bucket, pauses: readonly Pause[], now: Date): Permit {
  const current = refill(bucket, now);
  const isPaused = (call: MessageCall) =>
    pauses.some((pause) => (pause.call === null || pause.call === call) && isActive(pause, now));
  const mayPost = current.posts >= 1 && !isPaused('chat.postMessage');
  const may: Readonly<Record<MessageCall, boolean>> = {
    'chat.postMessage': mayPost,
    'chat.update': current.edits >= 1 && !isPaused('chat.update'),
    // A search that finds nothing is followed by a post.
    'conversations.history': mayPost && !isPaused('conversations.history'),
    'conversations.replies': mayPost && !isPaused('conversations.replies'),
    'views.publish': current.posts >= 1 && !isPaused('views.publish'),
  };
  const waitMs = (tokens: number) => Math.max(0, Math.ceil((1 - tokens) * REFILL_MS));
  return {
    calls: (Object.keys(may) as MessageCall[]).filter((call) => may[call]),
    allowsReplies: current.posts >= 1 + SPARE_FOR_CARDS,
    refilled: current,
    waitMs: Math.max(waitMs(current.posts), waitMs(current.edits)),
  };
}

/** What may be sent to a place of which only the bucket is known, as it was when it was counted. */
export function editsOf(bucket: Bucket): Permit {
  return { calls: ['chat.update'], allowsReplies: false, refilled: bucket, waitMs: 0 };
}

/** The bucket after a claim, as the claim stores it. */
export function spend({ posts, edits, countedAt }: Bucket, { ts }: { readonly ts: string | null }): Bucket {
  return ts === null ? { posts: posts - 1, edits, countedAt } : { posts, edits: edits - 1, countedAt };
}

/** A pause that starts far in the future was stored before the clock was set back, so it is ignored. */
export function isActive({ since, until }: Pause, now: Date): boolean {
  return since.getTime() - now.getTime() <= CLOCK_STEP_MS && now < until;
}

function refill({ posts, edits, countedAt }: Bucket, now: Date): Bucket {
  const passedMs = now.getTime() - countedAt.getTime();
  const gained = passedMs < -CLOCK_STEP_MS ? BURST : Math.max(0, passedMs) / REFILL_MS;
  const grown = (tokens: number) => Math.min(BURST, tokens + gained);
  return { posts: grown(posts), edits: grown(edits), countedAt: now };
}
