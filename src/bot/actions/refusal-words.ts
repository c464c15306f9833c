import { answer } from '../blocks/answer.ts';
import { COMMANDS } from '../blocks/ids.ts';
import { code, inline } from '../blocks/mrkdwn.ts';
import { plainHeadline } from '../incident/incident-words.ts';
import type { Snapshot } from '../incident/snapshot.ts';
import type { NotAllowed, Unassignable } from '../slack/person.ts';
import type { SlackMessage } from '../slack/slack-message.ts';
import type { KeptReason } from './action.ts';

const UNASSIGNABLE: Readonly<Record<Unassignable, string>> = {
  nobody: 'names no single person or group here',
  guest: 'is a guest of this workspace',
  stranger: 'is not in this workspace',
  bot: 'is an app',
  deactivated: 'has a deactivated account',
};

/** Why nothing was assigned. @param whom an id in Slack, or `@name` */
export function cannotAssign(whom: string, why: Unassignable): string {
  const who = /^[UW][A-Z0-9]+$/.test(whom) ? `<@${whom}>` : code(whom, 80);
  return `Nothing was assigned: ${who} ${UNASSIGNABLE[why]}. Choose from what Slack offers after an @, or in \`${COMMANDS.incidents} change\`.`;
}

/** The answer to people who can see the channel but may not act. It says whom to ask. */
export function mayNotAct(why: NotAllowed): SlackMessage {
  switch (why.kind) {
    case 'guest':
      return answer(refusalOf('Guests of this workspace'));
    case 'stranger':
      return answer(refusalOf('People of other workspaces'));
    case 'bot':
    case 'deactivated':
      return answer(refusalOf('Apps and deactivated accounts'));
    case 'unknown':
      return answer(
        why.refusedToken === undefined
          ? 'Nothing was changed: Slack is not saying right now who you are. Please try again in a minute.'
          : `Nothing was changed: ${tokenRefused(why.refusedToken, 'I cannot know who you are')}`,
      );
    case 'no-responder':
      return answer(
        `Nothing was changed: only members of ${groupNames(why.groups)} can act on incidents here. Please ask one of them, or ask to be added.`,
      );
    case 'unverified':
      return answer(
        `Nothing was changed: only members of ${groupNames(why.groups)} can act on incidents here, and Slack has not said for 15 minutes who they are. Please try again in a minute, or act in the dashboard.`,
      );
    default:
      return why satisfies never;
  }
}

export function tokenRefused(error: string, consequence: string): string {
  return `Slack refuses the bot’s token (${inline(error, 60)}), so ${consequence}. The operator of this bot must reinstall the app and set SLACK_BOT_TOKEN.`;
}

/** The same for somebody who wanted to look and for somebody who wanted to act. */
function refusalOf(who: string): string {
  return `${who} can only read the cards here. Please ask a member of this workspace for anything else.`;
}

export function groupNames(groups: readonly string[]): string {
  return groups.map((group) => inline(group, 80)).join(' or ');
}

/** Why an action is kept for later. */
export const KEPT_REASONS: Readonly<Record<KeptReason, string>> = {
  unreachable: 'The incident service is not responding right now.',
  failing: 'The incident service is returning errors right now.',
  slack: 'Slack is not saying right now who is who.',
  key: 'The incident service refuses my API key. The operator of this bot must check INCIDENTS_API_KEY.',
};

const MOST_NAMED = 3;

/** @param open the worst first; some are named */
export function unknownIncidentText(reference: string, open: readonly Snapshot[] = []): string {
  const unknown = `The incident service has no incident ${inline(reference, 100)}.`;
  if (open.length === 0) {
    return `${unknown} \`${COMMANDS.incidents} open\` lists the open ones.`;
  }
  const named = open.slice(0, MOST_NAMED).map((incident) => plainHeadline(incident));
  const rest = open.length - named.length;
  const more = rest > 0 ? `; and ${rest.toLocaleString('en')} more: \`${COMMANDS.incidents} open\`` : '';
  return `${unknown} Open now: ${named.join('; ')}${more}`;
}
