import { type Backoff, backoffMs } from '../../runtime/backoff.ts';
import type { SlackFailure } from '../slack/errors.ts';
import { isPerson, type PlaceId } from '../slack/identifiers.ts';

/** Errors that mean the first message of the thread was deleted. */
export const THREAD_GONE = new Set(['message_not_found', 'thread_not_found']);

/** Errors that mean the thread cannot be written to. The card shows the same information. */
export const THREAD_CLOSED = new Set([
  'cannot_reply_to_message',
  'message_not_found',
  'restricted_action_non_threadable_channel',
  'restricted_action_thread_locked',
  'thread_not_found',
]);

/** Delay before a refused channel or token is retried. */
export const REFUSED_PAUSE_MS = 30_000;
/** After so many refusals, about half an hour, a message that nobody can be shown is given up. */
export const MAX_REFUSALS = 5;
const MESSAGE_REFUSED: Backoff = { firstMs: 60_000, longestMs: 15 * 60_000 };
const FAILED: Backoff = { firstMs: 1_000, longestMs: 60_000 };

/** An error of Slack that does not go away without human action. */
export interface Refusal {
  /** Scope of the refusal: every call, one channel, or one message. */
  readonly of: 'token' | 'channel' | 'message';
  /** What the operator can do. */
  readonly advice: string;
}

const CHANNEL_CLOSED: Readonly<Record<string, string>> = {
  channel_not_found: 'The bot cannot see the channel: invite it with /invite, or correct INCIDENTS_CHANNEL.',
  is_archived: 'The channel is archived: unarchive it, or set INCIDENTS_CHANNEL to another one.',
  is_inactive: 'The channel is archived: unarchive it, or set INCIDENTS_CHANNEL to another one.', // error of edits
  not_in_channel: 'The bot is not in the channel: invite it with /invite.',
  restricted_action: 'The bot may not post in the channel: change its posting permissions.',
};

/** Such a card is not posted again, because without edits every change would be a new message. */
const TOO_OLD_TO_EDIT =
  'Cards in the channel are out of date, because this workspace does not allow edits of older messages (edit_window_closed): a workspace admin can lift that limit. /incidents show gives the current state.';

/**
 * @param placeId where the message goes; absent: to a channel
 * @returns null: not a refusal; a retry may succeed
 */
export function toRefusal(failure: SlackFailure, placeId?: PlaceId): Refusal | null {
  const { kind, error } = failure;
  switch (kind) {
    case 'rate-limited':
    case 'ambiguous':
      return null;
    case 'refused-token':
      return {
        of: 'token',
        advice: `Slack refuses SLACK_BOT_TOKEN (${error}): reinstall the app and set its new token. Messages are stored and will be sent then.`,
      };
    case 'missing-scope':
      return {
        of: 'channel',
        advice: `The bot lacks the scope ${failure.needed}: reinstall the app with the scopes of manifest.yml.`,
      };
    case 'refused':
      return refusalOf(error, placeId !== undefined && isPerson(placeId));
    default:
      return failure satisfies never;
  }
}

function refusalOf(error: string, isToPerson: boolean): Refusal {
  const closed = CHANNEL_CLOSED[error];
  if (closed !== undefined && !isToPerson) {
    return { of: 'channel', advice: closed };
  }
  const advice = error === 'edit_window_closed' ? TOO_OLD_TO_EDIT : `Slack refuses a message (${error}); retrying.`;
  return { of: 'message', advice };
}

/**
 * @param before earlier failures and refusals of the message
 * @returns milliseconds until the retry; pauses of calls and channels are added to it
 */
export function retryDelayMs(
  failure: SlackFailure,
  refusal: Refusal | null,
  before: { readonly failures: number; readonly refusals: number },
): number {
  if (failure.kind === 'rate-limited') {
    return 0;
  }
  return refusal?.of === 'message'
    ? backoffMs(MESSAGE_REFUSED, before.refusals + 1)
    : backoffMs(FAILED, before.failures + 1);
}
