import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { classifySlackFailure } from '../slack/errors.ts';
import type { Store } from '../store/store.ts';
import type { SlackMessage } from '../views/message.ts';
import type { CardPoster, CardSubject } from './card-poster.ts';
import { type Attempt, LATE_POST_MS } from './find-attempt.ts';
import type { LimitedCall } from './limited-calls.ts';

/** Deleted, or posted by another app: this one was made anew over the same database. */
const NOT_OURS = new Set(['message_not_found', 'cant_update_message']);

/** A message that must be in a channel exactly once, and what is remembered of it. */
export interface Target {
  readonly channelId: string;
  readonly subject: CardSubject;
  readonly ts: string | null;
  readonly attempt: Attempt | null;
  readonly shownDigest: string | null;
  /**
   * Written before the post, so that a post whose answer is lost can be found again.
   *
   * @returns false: the lease ran out, and whoever has it now posts
   */
  beginAttempt(attempt: Attempt): Promise<boolean>;
  endAttempt(): Promise<void>;
  /** With its attempt, whose message it was. */
  forgetMessage(): Promise<void>;
}

export interface Sender {
  /**
   * @returns where the message is; null: it is gone or not ours, and is posted when its turn comes again at once, or it
   * is another process's to post by now
   */
  send(target: Target, message: SlackMessage, digest: string): Promise<string | null>;
}

/** Whether the message is as it should be already, so that nothing is sent. */
export function isShown({ ts, shownDigest }: Pick<Target, 'ts' | 'shownDigest'>, digest: string): boolean {
  return ts !== null && shownDigest === digest;
}

export function createSender(deps: {
  poster: CardPoster;
  store: Pick<Store, 'audits'>;
  limitedCall: LimitedCall;
  spend: (channelId: string) => void;
  logger: Logger;
  now: () => Date;
}): Sender {
  const { poster, store, limitedCall, logger, now } = deps;

  async function send(target: Target, message: SlackMessage, digest: string): Promise<string | null> {
    const { ts, attempt } = target;
    if (ts !== null) {
      return isShown(target, digest) ? ts : edit(target, ts, message);
    }
    if (attempt === null) {
      return post(target, message, { id: randomUUID(), at: now() });
    }
    const left = await limitedCall('conversations.history', target.channelId, () =>
      poster.findAttempt(target.channelId, attempt),
    );
    if (left !== null) {
      return edit(target, left, message);
    }
    await store.audits.request(target.channelId, after(LATE_POST_MS));
    return post(target, message, attempt);
  }

  async function edit(target: Target, ts: string, message: SlackMessage): Promise<string | null> {
    const { channelId, subject } = target;
    deps.spend(channelId);
    try {
      await limitedCall('chat.update', channelId, () => poster.edit({ channelId, ts }, message));
      return ts;
    } catch (error) {
      const reason = classifySlackFailure(error).error;
      if (!NOT_OURS.has(reason)) {
        throw error;
      }
      logger.info({ ...subject, channelId, reason }, 'a card was deleted in Slack, or is not ours, and is posted anew');
      await target.forgetMessage();
      return null;
    }
  }

  async function post(
    target: Target,
    message: SlackMessage,
    { id, at }: Pick<Attempt, 'id' | 'at'>,
  ): Promise<string | null> {
    const { channelId, subject, attempt } = target;
    if (!(await target.beginAttempt({ id, at, lastAt: now() }))) {
      logger.warn({ ...subject, channelId }, 'this process was too slow, and another one posts');
      return null;
    }
    deps.spend(channelId);
    try {
      return await limitedCall('chat.postMessage', channelId, () => poster.post(channelId, subject, id, message));
    } catch (error) {
      // An earlier attempt may still arrive, so only one that began here is over.
      if (attempt === null && classifySlackFailure(error).kind !== 'ambiguous') {
        await target.endAttempt();
      }
      throw error;
    }
  }

  function after(delayMs: number): Date {
    return new Date(now().getTime() + delayMs);
  }

  return { send };
}
