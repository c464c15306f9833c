import type { Message } from '../model.ts';
import { presentMessage } from '../present.ts';
import type { AppEvent } from './events.ts';

type Item = Pick<Message, 'channel' | 'ts' | 'user'>;

/** What an app in the channel hears of reactions and pins that came and went with a change of a message. */
export function itemEvents(before: Message, after: Message, ts: string): AppEvent[] {
  return [
    ...reactionsOf(after, before).map((reaction) => reactionEvent('reaction_added', reaction, after, ts)),
    ...reactionsOf(before, after).map((reaction) => reactionEvent('reaction_removed', reaction, after, ts)),
    ...pinEvents(before, after, ts),
  ];
}

interface PersonsReaction {
  readonly name: string;
  readonly user: string;
}

/** The reactions of one message that another lacks. */
function reactionsOf(message: Message, other: Message): PersonsReaction[] {
  const has = (name: string, user: string): boolean =>
    other.reactions.some((reaction) => reaction.name === name && reaction.users.includes(user));
  return message.reactions.flatMap(({ name, users }) =>
    users.filter((user) => !has(name, user)).map((user) => ({ name, user })),
  );
}

function reactionEvent(
  subscription: 'reaction_added' | 'reaction_removed',
  { name, user }: PersonsReaction,
  { channel, ts, user: author }: Item,
  eventTs: string,
): AppEvent {
  const event = {
    type: subscription,
    user,
    reaction: name,
    item: { type: 'message', channel, ts },
    item_user: author,
    event_ts: eventTs,
  };
  return { subscription, scope: 'reactions:read', event };
}

function pinEvents(before: Message, after: Message, ts: string): AppEvent[] {
  if (before.pin !== null || after.pin === null) {
    return [];
  }
  const { by, pinnedAt } = after.pin;
  const event = {
    type: 'pin_added',
    user: by,
    channel_id: after.channel,
    item: {
      type: 'message',
      channel: after.channel,
      created: pinnedAt,
      created_by: by,
      message: presentMessage(after, { withMetadata: false }),
    },
    item_user: after.user,
    pinned_info: { channel: after.channel, pinned_by: by, pinned_ts: pinnedAt },
    event_ts: ts,
  };
  return [{ subscription: 'pin_added', scope: 'pins:read', event }];
}
