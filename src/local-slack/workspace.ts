import type { Block, Channel, Ephemeral, Message, MessageMetadata, Person, View, ViewContent } from './model.ts';
import { BOT_USER_ID, seedChannels, seedPeople } from './seed.ts';

/** What outlives a restart. Ephemeral messages and open modals do not, as in Slack. */
export interface Snapshot {
  readonly version: 1;
  readonly counter: number;
  readonly people: readonly Person[];
  readonly channels: readonly Channel[];
  readonly messages: readonly Message[];
  readonly homeViews: readonly View[];
}

export interface Content {
  readonly text: string;
  readonly blocks: readonly Record<string, unknown>[];
}

export interface Workspace {
  people(): readonly Person[];
  /** By id or handle. */
  findPerson(reference: string): Person | null;
  channels(): readonly Channel[];
  findChannel(id: string): Channel | null;
  findChannelByName(name: string): Channel | null;
  /** The direct message between the app and a person, made if there is none. */
  openDirectMessage(userId: string): Channel;
  changeChannel(id: string, change: (channel: Channel) => Channel): Channel;

  /** Oldest first, threads included. */
  messages(channelId: string): readonly Message[];
  findMessage(channelId: string, ts: string): Message | null;
  post(message: {
    channel: string;
    user: string;
    content: Content;
    attachments?: readonly unknown[];
    metadata?: MessageMetadata | null;
    threadTs?: string | null;
  }): Message;
  changeMessage(channelId: string, ts: string, change: (message: Message) => Message): Message;
  deleteMessage(channelId: string, ts: string): void;

  ephemerals(viewer: string, channelId: string): readonly Ephemeral[];
  whisper(message: {
    channel: string;
    viewer: string;
    from: Ephemeral['from'];
    content: Content;
    threadTs?: string | null;
  }): Ephemeral;
  /** Null content takes the message away. */
  changeEphemeral(viewer: string, channelId: string, ts: string, content: Content | null): void;

  /** The stack of modals, the visible one last. */
  openViews(viewer: string): readonly View[];
  findView(id: string): View | null;
  pushView(viewer: string, content: ViewContent): View;
  changeView(id: string, change: Partial<Pick<View, 'content' | 'errors' | 'trouble'>>): View;
  popView(id: string): void;
  clearViews(viewer: string): void;
  publishHome(viewer: string, content: ViewContent): View;
  findHome(viewer: string): View | null;

  nameBlocks(blocks: readonly Record<string, unknown>[]): Block[];
  nextId(prefix: string): string;
  snapshot(): Snapshot;
  /** Counts every change. */
  revision(): number;
  onChange(listener: () => void): () => void;
}

export function createWorkspace(options: { botName: string; now: () => Date; snapshot: Snapshot | null }): Workspace {
  const { now, snapshot } = options;
  const people = new Map(seedPeople(options.botName).map((person) => [person.id, person]));
  const channels = new Map<string, Channel>();
  for (const channel of snapshot?.channels ?? seedChannels(Math.floor(now().getTime() / 1000))) {
    channels.set(channel.id, channel);
  }
  for (const person of snapshot?.people ?? []) {
    if (!people.has(person.id)) {
      people.set(person.id, person);
    }
  }
  const messages = new Map<string, Message[]>();
  for (const message of snapshot?.messages ?? []) {
    messagesOf(message.channel).push(message);
  }
  const homes = new Map((snapshot?.homeViews ?? []).map((view) => [view.viewer, view]));
  const ephemerals: Ephemeral[] = [];
  const stacks = new Map<string, View[]>();
  const listeners = new Set<() => void>();
  let counter = snapshot?.counter ?? 0;
  let revision = 0;
  let lastMicros = newestMicros(snapshot?.messages ?? []);

  function changed(): void {
    revision += 1;
    for (const listener of listeners) {
      listener();
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

  /** Unique and growing in the whole workspace, so that a message made later sorts later. */
  function nextTs(): string {
    lastMicros = Math.max(lastMicros + 1, now().getTime() * 1000);
    return `${Math.floor(lastMicros / 1e6)}.${String(lastMicros % 1e6).padStart(6, '0')}`;
  }

  function nextId(prefix: string): string {
    counter += 1;
    return `${prefix}${counter.toString(36).toUpperCase().padStart(9, '0')}`;
  }

  function nameBlocks(blocks: readonly Record<string, unknown>[]): Block[] {
    return blocks.map((block) => {
      const named = nameElements(structuredClone(block), () => nextId('a').toLowerCase()) as Record<string, unknown>;
      return {
        ...named,
        type: String(named.type),
        block_id: (named.block_id as string) ?? nextId('b').toLowerCase(),
      };
    });
  }

  function buildView(viewer: string, content: ViewContent, stack: readonly View[]): View {
    const id = nextId('V');
    return {
      kind: 'view',
      id,
      viewer,
      hash: nextTs(),
      rootViewId: stack[0]?.id ?? id,
      previousViewId: stack.at(-1)?.id ?? null,
      content,
      errors: {},
      trouble: null,
    };
  }

  return {
    people: () => [...people.values()],
    findPerson: (reference) =>
      people.get(reference) ?? [...people.values()].find((person) => person.name === reference) ?? null,
    channels: () => [...channels.values()],
    findChannel: (id) => channels.get(id) ?? null,
    findChannelByName: (name) =>
      [...channels.values()].find((channel) => channel.kind !== 'im' && channel.name === name) ?? null,
    openDirectMessage(userId) {
      const known = [...channels.values()].find((channel) => channel.kind === 'im' && channel.members.includes(userId));
      if (known !== undefined) {
        return known;
      }
      const channel: Channel = {
        id: `D${userId.slice(1)}`,
        name: '',
        kind: 'im',
        topic: '',
        members: [userId, BOT_USER_ID],
        isArchived: false,
        createdAt: Math.floor(now().getTime() / 1000),
      };
      channels.set(channel.id, channel);
      changed();
      return channel;
    },
    changeChannel(id, change) {
      const next = change(known(channels.get(id), `channel ${id}`));
      channels.set(id, next);
      changed();
      return next;
    },

    messages: (channelId) => [...messagesOf(channelId)],
    findMessage: (channelId, ts) => messagesOf(channelId).find((message) => message.ts === ts) ?? null,
    post({ channel, user, content, attachments, metadata, threadTs }) {
      const message: Message = {
        kind: 'message',
        ts: nextTs(),
        channel,
        user,
        isFromApp: user === BOT_USER_ID,
        text: content.text,
        blocks: nameBlocks(content.blocks),
        attachments: attachments ?? [],
        metadata: metadata ?? null,
        threadTs: threadTs ?? null,
        isEdited: false,
        revision: 0,
      };
      messagesOf(channel).push(message);
      changed();
      return message;
    },
    changeMessage(channelId, ts, change) {
      const all = messagesOf(channelId);
      const index = all.findIndex((message) => message.ts === ts);
      const before = known(all[index], `message ${ts}`);
      const next = { ...change(before), revision: before.revision + 1 };
      all[index] = next;
      changed();
      return next;
    },
    deleteMessage(channelId, ts) {
      messages.set(
        channelId,
        messagesOf(channelId).filter((message) => message.ts !== ts),
      );
      changed();
    },

    ephemerals: (viewer, channelId) =>
      ephemerals.filter((message) => message.viewer === viewer && message.channel === channelId),
    whisper({ channel, viewer, from, content, threadTs }) {
      const message: Ephemeral = {
        kind: 'ephemeral',
        ts: nextTs(),
        channel,
        viewer,
        from,
        text: content.text,
        blocks: nameBlocks(content.blocks),
        threadTs: threadTs ?? null,
        revision: 0,
      };
      ephemerals.push(message);
      changed();
      return message;
    },
    changeEphemeral(viewer, channelId, ts, content) {
      const index = ephemerals.findIndex(
        (message) => message.viewer === viewer && message.channel === channelId && message.ts === ts,
      );
      const before = ephemerals[index];
      if (before === undefined) {
        return;
      }
      const next = content && {
        ...before,
        text: content.text,
        blocks: nameBlocks(content.blocks),
        revision: before.revision + 1,
      };
      ephemerals.splice(index, 1, ...(next === null ? [] : [next]));
      changed();
    },

    openViews: (viewer) => [...(stacks.get(viewer) ?? [])],
    findView: (id) => [...stacks.values()].flat().find((view) => view.id === id) ?? null,
    pushView(viewer, content) {
      const stack = stacks.get(viewer) ?? [];
      const view = buildView(viewer, content, stack);
      stacks.set(viewer, [...stack, view]);
      changed();
      return view;
    },
    changeView(id, change) {
      for (const [viewer, stack] of stacks) {
        const before = stack.find((view) => view.id === id);
        if (before !== undefined) {
          const next: View = { ...before, ...change, hash: change.content === undefined ? before.hash : nextTs() };
          stacks.set(
            viewer,
            stack.map((view) => (view.id === id ? next : view)),
          );
          changed();
          return next;
        }
      }
      throw new Error(`view ${id} is not open`);
    },
    popView(id) {
      for (const [viewer, stack] of stacks) {
        stacks.set(
          viewer,
          stack.filter((view) => view.id !== id),
        );
      }
      changed();
    },
    clearViews(viewer) {
      stacks.delete(viewer);
      changed();
    },
    publishHome(viewer, content) {
      const view = buildView(viewer, content, []);
      homes.set(viewer, view);
      changed();
      return view;
    },
    findHome: (viewer) => homes.get(viewer) ?? null,

    nameBlocks,
    nextId,
    snapshot: () => ({
      version: 1,
      counter,
      people: [...people.values()],
      channels: [...channels.values()],
      messages: [...messages.values()].flat(),
      homeViews: [...homes.values()],
    }),
    revision: () => revision,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
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

const INTERACTIVE = /^(button|overflow|checkboxes|radio_buttons|datepicker|timepicker|.*_(select|input|button))$/;

/** Writes in what Slack adds to what an app sent: an `action_id` where one is missing, the defaults of text objects. */
function nameElements(value: unknown, nextActionId: () => string): unknown {
  if (Array.isArray(value)) {
    return value.map((each) => nameElements(each, nextActionId));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const fields: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, nameElements(field, nextActionId)]),
  );
  if (fields.type === 'plain_text') {
    return { emoji: true, ...fields };
  }
  if (fields.type === 'mrkdwn') {
    return { verbatim: false, ...fields };
  }
  if (typeof fields.type === 'string' && INTERACTIVE.test(fields.type) && fields.action_id === undefined) {
    return { ...fields, action_id: nextActionId() };
  }
  return fields;
}
