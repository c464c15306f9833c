import type { SlackFailure } from '../slack-errors.ts';

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

/** Such a card is not posted anew: where nothing may be edited, each change would be a message. */
const TOO_OLD_TO_EDIT =
  'Cards in that channel show what is over, for this workspace does not let older messages be edited (edit_window_closed): a workspace admin can lift that limit. /incidents show tells what is so.';

export function toRefusal(failure: SlackFailure): Refusal {
  const { kind, error } = failure;
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
