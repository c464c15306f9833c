import { answer } from '../../blocks/answer.ts';
import { COMMANDS } from '../../blocks/ids.ts';
import { code } from '../../blocks/mrkdwn.ts';
import { plainHeadline, reference } from '../../incident/incident-words.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { LOST, type Room, type RoomOutcome } from './room.ts';

/** In the threads of the cards, once. */
export function roomIsThere({ channelId }: Pick<Room, 'channelId'>): string {
  return `Room: <#${channelId}>`;
}

export const ROOM_IS_LOST = 'The room is archived or gone. No other one will be made for this incident.';

/** In the threads of the cards, once for each person. */
export function notInvited(person: SlackUserId, error: string): string {
  return `Slack did not let me invite <@${person}> to the room (${code(error, 60)}).`;
}

/** @param outcome null: it is not made yet */
export function roomAnswer(incident: Snapshot, outcome: RoomOutcome | null, wantsPrivate: boolean): SlackMessage {
  const which = plainHeadline(incident);
  if (outcome === null) {
    return answer(`I am making a room for ${which}. The thread of its card will say where it is.`);
  }
  if ('channelId' in outcome) {
    const isPublic = wantsPrivate && !outcome.isPrivate ? ' It was made before, and everybody can see it.' : '';
    return answer(`The room for ${which} is <#${outcome.channelId}>; you are invited.${isPublic}`);
  }
  const { error, needed } = outcome;
  if (error === LOST.error) {
    return answer(`There is no room for ${which} any more. ${ROOM_IS_LOST}`);
  }
  const why =
    needed === null
      ? `Slack does not let this app make the channel (${code(error, 60)}). An owner of the workspace can allow apps to create channels.`
      : `This app lacks the scope ${code(needed, 60)}. Its operator must reinstall it with the scopes of manifest.yml.`;
  return answer(`There is no room for ${which}. ${why}`);
}

export function noRoomWithout(): SlackMessage {
  return answer('No incident is open, so there is none to make a room for.');
}

const MOST_OFFERED = 5;

/** A button would make a public room, so the person types the command again. */
export function whichPrivate(incidents: readonly Snapshot[]): SlackMessage {
  const commands = incidents
    .slice(0, MOST_OFFERED)
    .map((each) => `• ${code(`${COMMANDS.incidents} room ${reference(each)} private`, 300)} ${plainHeadline(each)}`);
  return answer(['Several incidents are open, so nothing was made. Which one?', ...commands].join('\n'));
}
