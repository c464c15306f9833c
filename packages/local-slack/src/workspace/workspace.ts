import { type Collections, createCollections, type SavedCollections, saveCollections } from './collections.ts';
import { createEphemerals, type Ephemerals } from './ephemerals.ts';
import {
  type Block,
  type Channel,
  type Content,
  isDirect,
  type Message,
  type MessageMetadata,
  type Person,
  type SharedFile,
  type View,
} from './model.ts';
import { nameBlocks } from './name-blocks.ts';
import { type AppChannel, BOT_USER_ID, seedChannels, seedPeople, TEAM } from './seed.ts';
import { createViewStacks, type ViewStacks } from './view-stacks.ts';
import type { WorkspaceChange } from './workspace-change.ts';

/** The saved state. As in Slack, ephemeral messages and open modals are not part of it. */
export interface Snapshot extends SavedCollections {
  readonly version: 1;
  readonly counter: number;
  readonly people: readonly Person[];
  readonly channels: readonly Channel[];
  readonly messages: readonly Message[];
  readonly homeViews: readonly View[];
}

/** Initial state of a message, also for messages of older snapshots. */
const NEW_MESSAGE = {
  tool: null,
  files: [],
  pin: null,
  isBroadcast: false,
  isEdited: false,
  editedTs: null,
} as const;

export interface Workspace extends ViewStacks, Collections, Ephemerals {
  people(): readonly Person[];
  /** By id or handle. */
  findPerson(reference: string): Person | null;
  /** Finds or creates the bot user of another app. */
  openTool(handle: string): Person;
  channels(): readonly Channel[];
  findChannel(id: string): Channel | null;
  findChannelByName(name: string): Channel | null;
  /** Finds or creates the direct message of two people, or the group message of more. */
  openDirectMessage(members: readonly string[]): Channel;
  addChannel(channel: Pick<Channel, 'name' | 'kind' | 'members' | 'creator'>): Channel;
  changeChannel(id: string, change: (channel: Channel) => Channel): Channel;

  /** Oldest first, with threads. */
  messages(channelId: string): readonly Message[];
  findMessage(channelId: string, ts: string): Message | null;
  post(message: {
    channel: string;
    user: string;
    content: Content;
    tool?: Message['tool'];
    attachments?: Message['attachments'];
    files?: readonly SharedFile[];
    metadata?: MessageMetadata | null;
    threadTs?: string | null;
    isBroadcast?: boolean;
  }): Message;
  changeMessage(channelId: string, ts: string, change: (message: Message) => Message, by?: string): Message;
  deleteMessage(channelId: string, ts: string): void;

  nameBlocks(blocks: readonly Record<string, unknown>[]): Block[];
  nextId(prefix: string): string;
  snapshot(): Snapshot;
  /** Incremented by every change. */
  revision(): number;
  /** Called after every change. Null when no app can subscribe to it. */
  onChange(listener: (change: WorkspaceChange | null) => void): () => void;
}

export function createWorkspace(options: {
  botName: string;
  appChannel: AppChannel;
  now: () => Date;
  snapshot: Snapshot | null;
}): Workspace {
  const { now, snapshot } = options;
  const people = new Map(seedPeople(options.botName).map((person) => [person.id, person]));
  const channels = new Map<string, Channel>();
  for (const channel of snapshot?.channels ?? seedChannels(options.appChannel, Math.floor(now().getTime() / 1000))) {
    channels.set(channel.id, { ...channel, purpose: channel.purpose ?? '' }); // missing in older snapshots
  }
  for (const person of snapshot?.people ?? []) {
    if (!people.has(person.id)) {
      people.set(person.id, person);
    }
  }
  const messages = new Map<string, Message[]>();
  for (const message of snapshot?.messages ?? []) {
    messagesOf(message.channel).push({ ...NEW_MESSAGE, ...message });
  }
  const listeners = new Set<(change: WorkspaceChange | null) => void>();
  let counter = snapshot?.counter ?? 0;
  let revision = 0;
  let lastMicros = newestMicros(snapshot?.messages ?? []);

  function changed(change: WorkspaceChange | null = null): void {
    revision += 1;
    for (const listener of listeners) {
      listener(change);
    }
  }

  function messagesOf(channelId: string): Message[] {
    const known = messages.get(channelId);
    if (known !== undefined) {
      return known;
    }
    const fresh: Message[] = [];
    messages.set(channelId, fresh);
    return fresh;
  }

  /** Unique and increasing in the whole workspace, so that messages sort by age. */
  function nextTs(): string {
    lastMicros = Math.max(lastMicros + 1, now().getTime() * 1000);
    return `${Math.floor(lastMicros / 1e6)}.${String(lastMicros % 1e6).padStart(6, '0')}`;
  }

  function nextId(prefix: string): string {
    counter += 1;
    return `${prefix}${counter.toString(36).toUpperCase().padStart(9, '0')}`;
  }

  function directMessage(members: readonly string[]): Channel {
    const common = { members, topic: '', isArchived: false, createdAt: Math.floor(now().getTime() / 1000) };
    if (members.length > 2) {
      const handles = members.map((id) => people.get(id)?.name ?? id);
      const purpose = `Group messaging with: ${handles.map((handle) => `@${handle}`).join(' ')}`;
      return { ...common, id: nextId('G'), name: `mpdm-${handles.join('--')}-1`, kind: 'mpim', purpose };
    }
    const person = members.find((id) => id !== BOT_USER_ID) ?? BOT_USER_ID;
    const id = members.includes(BOT_USER_ID) ? `D${person.slice(1)}` : nextId('D');
    return { ...common, id, name: '', kind: 'im', purpose: '' };
  }

  const views = createViewStacks({ homeViews: snapshot?.homeViews ?? [], nextId, nextHash: nextTs, changed });
  const collections = createCollections(snapshot ?? {}, changed);
  const named = (blocks: readonly Record<string, unknown>[]): Block[] => nameBlocks(blocks, nextId);

  return {
    ...views,
    ...collections,
    ...createEphemerals({ nextTs, nameBlocks: named, changed }),
    people: () => [...people.values()],
    findPerson: (reference) =>
      people.get(reference) ?? [...people.values()].find((person) => person.name === reference) ?? null,
    openTool(handle) {
      const known = [...people.values()].find(({ isBot, name }) => isBot && name === handle);
      if (known !== undefined) {
        return known;
      }
      const realName = handle.replace(/^./, (first) => first.toUpperCase());
      const common = { email: null, isBot: true, isGuest: false, teamId: TEAM.id, timeZone: 'UTC' };
      const tool: Person = { ...common, id: nextId('U'), name: handle, realName };
      people.set(tool.id, tool);
      changed();
      return tool;
    },
    channels: () => [...channels.values()],
    findChannel: (id) => channels.get(id) ?? null,
    findChannelByName: (name) =>
      [...channels.values()].find((channel) => !isDirect(channel) && channel.name === name) ?? null,
    openDirectMessage(members) {
      const known = [...channels.values()].find((channel) => isDirect(channel) && isSameSet(channel.members, members));
      if (known !== undefined) {
        return known;
      }
      const channel = directMessage(members);
      channels.set(channel.id, channel);
      changed();
      return channel;
    },
    addChannel(fields) {
      const createdAt = Math.floor(now().getTime() / 1000);
      const channel: Channel = { ...fields, id: nextId('C'), topic: '', purpose: '', isArchived: false, createdAt };
      channels.set(channel.id, channel);
      changed();
      return channel;
    },
    changeChannel(id, change) {
      const before = known(channels.get(id), `channel ${id}`);
      const next = change(before);
      channels.set(id, next);
      changed({ kind: 'channel', before, after: next });
      return next;
    },

    messages: (channelId) => [...messagesOf(channelId)],
    findMessage: (channelId, ts) => messagesOf(channelId).find((message) => message.ts === ts) ?? null,
    post({ channel, user, content, tool, attachments, files, metadata, threadTs, isBroadcast }) {
      const message: Message = {
        ...NEW_MESSAGE,
        kind: 'message',
        ts: nextTs(),
        channel,
        user,
        isFromApp: user === BOT_USER_ID,
        tool: tool ?? null,
        text: content.text,
        blocks: named(content.blocks),
        attachments: attachments ?? [],
        files: files ?? [],
        metadata: metadata ?? null,
        threadTs: threadTs ?? null,
        isBroadcast: isBroadcast ?? false,
        revision: 0,
      };
      messagesOf(channel).push(message);
      changed({ kind: 'posted', message });
      return message;
    },
    changeMessage(channelId, ts, change, by) {
      const all = messagesOf(channelId);
      const index = all.findIndex((message) => message.ts === ts);
      const before = known(all[index], `message ${ts}`);
      const after = change(before);
      const isEdit = after.isEdited && (after.text !== before.text || after.blocks !== before.blocks);
      const next = { ...after, editedTs: isEdit ? nextTs() : before.editedTs, revision: before.revision + 1 };
      all[index] = next;
      changed({ kind: 'changed', before, after: next, by: by ?? null });
      return next;
    },
    deleteMessage(channelId, ts) {
      const all = messagesOf(channelId);
      const message = known(
        all.find((each) => each.ts === ts),
        `message ${ts}`,
      );
      messages.set(
        channelId,
        all.filter((each) => each !== message),
      );
      changed({ kind: 'deleted', message });
    },

    nameBlocks: named,
    nextId,
    snapshot: () => ({
      version: 1,
      counter,
      people: [...people.values()],
      channels: [...channels.values()],
      messages: [...messages.values()].flat(),
      homeViews: [...views.homeViews()],
      ...saveCollections(collections),
    }),
    revision: () => revision,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function isSameSet(ones: readonly string[], others: readonly string[]): boolean {
  return ones.length === others.length && ones.every((one) => others.includes(one));
}

function known<T>(value: T | undefined, name: string): T {
  if (value === undefined) {
    throw new Error(`${name} does not exist`);
  }
  return value;
}

function newestMicros(messages: readonly Message[]): number {
  return messages.reduce((newest, { ts }) => Math.max(newest, Number(ts.replace('.', ''))), 0);
}
