import type { EventFeed } from '../delivery/event-feed.ts';
import { ImpossibleActionError, SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type Channel, isDirect, type Message, type Person } from '../workspace/model.ts';
import { pinMessage, unpinMessage } from '../workspace/pins.ts';
import { presentView, toTs } from '../workspace/present.ts';
import { BOT_USER_ID } from '../workspace/seed.ts';
import { setUserGroup } from '../workspace/user-groups.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { escapeTyped } from './typed-text.ts';

/** What a person can do in conversations. Subscribed apps get an event. */
export interface ConversationActions {
  /** Edits their own message. */
  edit(message: Message, text: string): void;
  /** Deletes any message, as a person with that permission can. */
  delete(message: Message): void;
  pin(message: Message): void;
  unpin(message: Message): void;
  join(channel: string): void;
  leave(channel: string): void;
  /** Opens a direct message with one person or a group message with several, given by handle or id. Returns its id. */
  openDirectMessage(people: readonly string[]): string;
  /** Creates a user group with this handle, or replaces its members. @returns its id */
  setUserGroup(handle: string, people: readonly string[]): string;
  /** Pauses their notifications; 0: not any more. */
  pauseNotifications(minutes: number): void;
  /** Opens the Home tab of the app or its Messages tab. */
  openAppHome(tab: 'home' | 'messages'): void;
}

export function createConversationActions(
  deps: { workspace: Workspace; events: EventFeed; now: () => Date },
  person: Person,
): ConversationActions {
  const { workspace, events } = deps;

  function changeMembers(reference: string, change: (members: readonly string[]) => readonly string[]): void {
    const channel = workspace.findChannel(reference) ?? workspace.findChannelByName(reference.replace(/^#/, ''));
    if (channel === null || isDirect(channel)) {
      throw new ImpossibleActionError(`there is no channel ${reference} to join or leave`);
    }
    workspace.changeChannel(channel.id, (before) => ({ ...before, members: change(before.members) }));
  }

  /** @throws ImpossibleActionError when Slack would refuse it */
  function attempt({ channel }: Message, step: () => void): void {
    if (workspace.findChannel(channel)?.isArchived === true) {
      throw new ImpossibleActionError('not possible: the channel is archived');
    }
    try {
      step();
    } catch (error) {
      throw error instanceof SlackError ? new ImpossibleActionError(`not possible: ${error.code}`) : error;
    }
  }

  return {
    edit(message, text) {
      if (message.user !== person.id) {
        throw new ImpossibleActionError(`${person.name} can only edit their own messages`);
      }
      const typed = escapeTyped(text, workspace);
      workspace.changeMessage(message.channel, message.ts, (before) => ({ ...before, text: typed, isEdited: true }));
    },
    delete: (message) => workspace.deleteMessage(message.channel, message.ts),
    pin: (message) => attempt(message, () => pinMessage(workspace, message, { by: person.id, at: deps.now() })),
    unpin: (message) => attempt(message, () => unpinMessage(workspace, message, person.id)),
    join: (channel) => changeMembers(channel, (members) => [...new Set([...members, person.id])]),
    leave: (channel) => changeMembers(channel, (members) => members.filter((member) => member !== person.id)),
    openDirectMessage(people) {
      const others = new Set(people.map((reference) => workspace.findPerson(reference)?.id ?? ''));
      if (others.has('') || others.has(person.id) || others.size === 0 || others.size > LIMITS.groupMessageUsers) {
        throw new ImpossibleActionError(`a direct message has 1 to ${LIMITS.groupMessageUsers} other people`);
      }
      return workspace.openDirectMessage([person.id, ...others]).id;
    },
    setUserGroup: (handle, members) => setUserGroup(workspace, handle, members, deps.now()),
    pauseNotifications(minutes) {
      const until = Math.floor(deps.now().getTime() / 1_000) + minutes * 60;
      workspace.pauses.put({ id: person.id, until });
    },
    openAppHome(tab) {
      const channel = workspace.openDirectMessage([person.id, BOT_USER_ID]);
      const view = workspace.findHome(person.id);
      const event = {
        type: 'app_home_opened',
        user: person.id,
        channel: channel.id,
        tab,
        ...(tab === 'home' && view !== null && { view: presentView(view) }),
        event_ts: toTs(deps.now()),
      };
      events.send({ subscription: 'app_home_opened', scope: null, event });
    },
  };
}

/** @param reference id, name or #name @throws ImpossibleActionError when the person is not a member */
export function getChannelOf(workspace: Workspace, person: Person, reference: string): Channel {
  const channel = workspace.findChannel(reference) ?? workspace.findChannelByName(reference.replace(/^#/, ''));
  if (channel === null || !channel.members.includes(person.id)) {
    throw new ImpossibleActionError(`${person.name} is not a member of a channel ${reference}`);
  }
  return channel;
}
