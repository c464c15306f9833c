import { backoffMs } from '../../runtime/backoff.ts';
import type { SlackFailure } from '../slack/errors.ts';

/** A channel that does not take messages at all is tried again after this. */
export const CLOSED_CHANNEL_PAUSE_MS = 30_000;
/** A message that Slack refuses by itself is tried again after this, and more and more seldom. */
const REFUSED_PAUSE_MS = 60_000;
const LONGEST_REFUSED_PAUSE_MS = 15 * 60_000;
/** Not less, so that a post whose answer was lost has arrived before it is looked for. */
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** An answer of Slack that stays the same until somebody does something. */
export interface Refusal {
  /** What it keeps from being shown: all, all of one channel, or one message. */
  readonly of: 'token' | 'channel' | 'message';
  /** What to do, for whoever runs the bot. */
  readonly advice: string;
}

const CHANNEL_CLOSED: Readonly<Record<string, string>> = {
  channel_not_found: 'cannot see that channel: invite it there with /invite, or correct INCIDENTS_CHANNEL',
  is_archived: 'finds that channel archived: unarchive it or choose another as INCIDENTS_CHANNEL',
  is_inactive: 'finds that channel archived: unarchive it or choose another as INCIDENTS_CHANNEL', // to an edit
  not_in_channel: 'is not in that channel: invite it there with /invite',
  restricted_action: 'may not post in that channel: change its posting permissions',
};

/** How often a message has failed since it was last shown. */
export interface Failures {
  readonly attempts: number;
  /** Of them, those in which Slack refused this very message, not all of the channel. */
  readonly refusals: number;
}

/** Of what is not counted. */
export const NEVER_FAILED: Failures = { attempts: 0, refusals: 0 };

/** Such a card is not posted anew: where nothing may be edited, each change would be a message. */
const TOO_OLD_TO_EDIT =
  'Cards in that channel show what is over, for this workspace does not let older messages be edited (edit_window_closed): a workspace admin can lift that limit. /incidents show tells what is so.';

/** null: Slack has not said no, only not yet or nothing clear. */
export function toRefusal(failure: SlackFailure): Refusal | null {
  const { kind, error } = failure;
  if (kind === 'rate-limited' || kind === 'ambiguous') {
    return null;
  }
  if (kind === 'refused-token') {
    const advice = `Slack refuses SLACK_BOT_TOKEN (${error}): install the app again and set its new token. The cards are kept and sent then.`;
    return { of: 'token', advice };
  }
  if (kind === 'missing-scope') {
    const advice = `The bot lacks the scope ${failure.needed}: install the app again with the scopes of manifest.yml.`;
    return { of: 'channel', advice };
  }
  const closed = CHANNEL_CLOSED[error];
  if (closed !== undefined) {
    return { of: 'channel', advice: `The bot ${closed}.` };
  }
  const advice =
    error === 'edit_window_closed' ? TOO_OLD_TO_EDIT : `Slack refuses a card (${error}); it is tried again.`;
  return { of: 'message', advice };
}

/** @returns after how many milliseconds the message is tried again */
export function retryPause(failure: SlackFailure, refusal: Refusal | null, before: Failures): number {
  if (failure.kind === 'rate-limited') {
    return failure.retryAfterMs;
  }
  if (refusal?.of === 'message') {
    return backoffMs({ firstMs: REFUSED_PAUSE_MS, longestMs: LONGEST_REFUSED_PAUSE_MS }, before.refusals + 1);
  }
  const pauseMs = backoffMs({ firstMs: SHORTEST_PAUSE_MS, longestMs: LONGEST_PAUSE_MS }, before.attempts + 1);
  return refusal === null ? pauseMs : Math.max(pauseMs, CLOSED_CHANNEL_PAUSE_MS);
}
