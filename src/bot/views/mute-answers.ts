import type { MuteAction } from '../domain/action.ts';
import { COMMANDS } from '../domain/ids.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import { answer } from './answers.ts';
import { code, dateToken } from './mrkdwn.ts';

/** The receipt of somebody who muted a service or an integration, or ended that. */
export function muteAnswer({ mute, until }: Pick<MuteAction, 'mute' | 'until'>): SlackMessage {
  return 'id' in mute
    ? answer('The mute has ended. Its open incidents get their cards now.')
    : answer(
        `🔕 Muted ${mute.target} ${code(mute.value, 80)} until ${dateToken(until?.toISOString() ?? '')}: its incidents are listed, without new cards and reminders. \`${COMMANDS.incidents} rules\` ends it.`,
      );
}

export function muteAlready({ mute }: Pick<MuteAction, 'mute'>): SlackMessage {
  return 'id' in mute
    ? answer('That mute has ended already, so nothing was changed.')
    : answer(
        `The ${mute.target} ${code(mute.value, 80)} is already muted for as long or longer, so nothing was changed.`,
      );
}
