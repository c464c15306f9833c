import { spokenName } from '../../contract/actor.ts';
import type { KnownPerson } from '../slack/person.ts';
import { inline } from './mrkdwn.ts';

const NAME_LENGTH = 100;

/** Whether an id in Slack is that of a user group. */
export function isGroup(slackId: string): boolean {
  return slackId.startsWith('S');
}

/** Words for a person whom the service names. */
export type Who = (user: string) => string;

/**
 * The name of a person; for an e-mail address, only the part before the @. Used where a mention would notify: in the
 * first post of a message, in threads, and in `text`, which notifications show.
 */
export const byName: Who = (user) => inline(spokenName(user), NAME_LENGTH);

/** As a mention if Slack knows the person or group, otherwise by name. */
export function byMention(people: readonly KnownPerson[]): Who {
  return (user) => {
    const known = people.find(({ name, slackUserId }) => name === user && /^[SUW][A-Z0-9]+$/.test(slackUserId));
    if (known === undefined) {
      return byName(user);
    }
    return isGroup(known.slackUserId) ? `<!subteam^${known.slackUserId}>` : `<@${known.slackUserId}>`;
  };
}
