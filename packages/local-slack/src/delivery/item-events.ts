import type { Message } from '../workspace/model.ts';
import { presentMessage } from '../workspace/present.ts';
import type { MessageChange } from '../workspace/workspace-change.ts';
import type { AppEvent, EventContext } from './events.ts';

type Item = Pick<Message, 'channel' | 'ts' | 'user'>;

/** Events for the reactions and pins that a change of a message added or removed. */
export function itemEvents(change: MessageChange, { ts, pinsIn }: Pick<EventContext, 'ts' | 'pinsIn'>): AppEvent[] {
  const { before, after } = change;
  return [
    ...reactionsOf(after, before).map((reaction) => reactionEvent('reaction_added', reaction, after, ts)),
    ...reactionsOf(before, after).map((reaction) => reactionEvent('reaction_removed', reaction, after, ts)),
    ...pinEvents(change, pinsIn(after.channel), ts),
  ];
}

interface PersonsReaction {
  readonly name: string;
  readonly user: string;
}

/** The reactions of `message` that `other` lacks. */
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

function pinEvents({ before, after, by }: MessageChange, count: number, ts: string): AppEvent[] {
  const pin = after.pin ?? before.pin;
  if (pin === null || (before.pin === null) === (after.pin === null)) {
    return [];
  }
  const subscription = after.pin === null ? 'pin_removed' : 'pin_added';
  const event = {
    type: subscription,
    user: by ?? pin.by,
    channel_id: after.channel,
    item: {
      type: 'message',
      channel: after.channel,
      created: pin.pinnedAt,
      created_by: pin.by,
      message: presentMessage(after, { withMetadata: false }),
    },
    item_user: after.user,
    pin_count: String(count),
    pinned_info: { channel: after.channel, pinned_by: pin.by, pinned_ts: pin.pinnedAt },
    ...(subscription === 'pin_removed' && { has_pins: count > 0 }),
    event_ts: ts,
  };
  return [{ subscription, scope: 'pins:read', event }];
}

/** One event for each file of a message. */
export function fileEvents({ files, channel, user, ts }: Message): AppEvent[] {
  return files.map(({ id }) => {
    const event = { type: 'file_shared', channel_id: channel, file_id: id, user_id: user, file: { id }, event_ts: ts };
    return { subscription: 'file_shared', scope: 'files:read', event };
  });
}
