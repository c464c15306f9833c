/** The Web API calls that messages are made of. */
export type MessageCall = 'chat.postMessage' | 'chat.update' | 'conversations.history' | 'conversations.replies';

/** Slack takes about one message a second in a channel, and short bursts. */
const BURST = 5;
const REFILL_MS = 1_000;
/** A reply leaves room for this many messages that are more urgent. */
const SPARE_FOR_CARDS = 2;

/** How many messages a channel takes at once, as it was counted last. Shared by all processes. */
export interface Bucket {
  readonly tokens: number;
  readonly countedAt: Date;
}

/** A time in which Slack is not called: a rate limit, an outage, or a channel or token that Slack refuses. */
export interface Pause {
  /** null: any call. */
  readonly call: MessageCall | null;
  /** null: in any channel. */
  readonly channelId: string | null;
  /** Slack's error, `ratelimited`, or `no answer`. */
  readonly reason: string;
  /** In a row; 0: it worked since. */
  readonly failures: number;
  readonly since: Date;
  readonly until: Date;
}

/** What may be sent in a channel now. */
export interface Permit {
  /** Empty: nothing. */
  readonly calls: readonly MessageCall[];
  /** Only replies need more room than one message. */
  readonly allowsReplies: boolean;
  /** The bucket once a message was taken from it. */
  readonly after: Bucket;
  /** How long to wait for the next message, in milliseconds; 0: none. */
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
    // A look-up that finds nothing is followed by a post.
    'conversations.history': mayPost && !isPaused('conversations.history'),
    'conversations.replies': mayPost && !isPaused('conversations.replies'),
  };
  const calls = (Object.keys(may) as MessageCall[]).filter((call) => may[call]);
  return {
    calls: tokens >= 1 ? calls : [],
    allowsReplies: tokens >= 1 + SPARE_FOR_CARDS,
    after: { tokens: tokens - 1, countedAt: now },
    waitMs: Math.max(0, Math.ceil((1 - tokens) * REFILL_MS)),
  };
}

/** A pause that begins in the future was set before the clock was set back: it is over. */
export function isActive({ since, until }: Pause, now: Date): boolean {
  return since <= now && now < until;
}

function refilled({ tokens, countedAt }: Bucket, now: Date): number {
  const passedMs = now.getTime() - countedAt.getTime();
  return passedMs < 0 ? BURST : Math.min(BURST, tokens + passedMs / REFILL_MS);
}
