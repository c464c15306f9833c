import { type Backoff, backoffMs } from '../../runtime/backoff.ts';
import type { SlackFailure } from '../slack/errors.ts';

/** A channel, or a token, that Slack refuses is tried again after this. */
export const REFUSED_PAUSE_MS = 30_000;
const MESSAGE_REFUSED: Backoff = { firstMs: 60_000, longestMs: 15 * 60_000 };
const FAILED: Backoff = { firstMs: 1_000, longestMs: 60_000 };

/** An answer of Slack that stays the same until somebody does something. */
export interface Refusal {
  /** What Slack refuses: everything, everything in one channel, or one message. */
  readonly of: 'token' | 'channel' | 'message';
  /** What the operator can do. */
  readonly advice: string;
}

const CHANNEL_CLOSED: Readonly<Record<string, string>> = {
  channel_not_found: 'The bot cannot see that channel: invite it with /invite, or correct INCIDENTS_CHANNEL.',
  is_archived: 'That channel is archived: unarchive it, or choose another one as INCIDENTS_CHANNEL.',
  is_inactive: 'That channel is archived: unarchive it, or choose another one as INCIDENTS_CHANNEL.', // to an edit
  not_in_channel: 'The bot is not in that channel: invite it with /invite.',
  restricted_action: 'The bot may not post in that channel: change its posting permissions.',
};

/** Such a card is not posted anew: where nothing may be edited, each change would be a new message. */
const TOO_OLD_TO_EDIT =
  'Cards in that channel are out of date, because this workspace does not let older messages be edited (edit_window_closed): a workspace admin can lift that limit. /incidents show gives the current state.';

/** @returns null: Slack did not refuse; another try may succeed */
export function toRefusal(failure: SlackFailure): Refusal | null {
  const { kind, error } = failure;
  switch (kind) {
    case 'rate-limited':
    case 'ambiguous':
      return null;
    case 'refused-token':
      return {
        of: 'token',
        advice: `Slack refuses SLACK_BOT_TOKEN (${error}): install the app again and set its new token. The messages are kept and sent then.`,
      };
    case 'missing-scope':
      return {
        of: 'channel',
        advice: `The bot lacks the scope ${failure.needed}: install the app again with the scopes of manifest.yml.`,
      };
    case 'refused':
      return refusalOf(error);
    default:
      return failure satisfies never;
  }
}

function refusalOf(error: string): Refusal {
  const closed = CHANNEL_CLOSED[error];
  if (closed !== undefined) {
    return { of: 'channel', advice: closed };
  }
  const advice =
    error === 'edit_window_closed' ? TOO_OLD_TO_EDIT : `Slack refuses a message (${error}); it is retried.`;
  return { of: 'message', advice };
}

/**
 * @param before failures and refusals so far, without this one
 * @returns after how many milliseconds the message is tried again; pauses of calls and channels come on top
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
