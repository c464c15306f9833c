import type { Manifest } from '../manifest.ts';
import type { Channel, Ephemeral, Message, Person, View } from '../model.ts';
import { BOT_USER_ID, TEAM } from '../seed.ts';
import type { Workspace } from '../workspace.ts';

/** All that the page shows to one person who looks at one channel. */
export interface PageState {
  readonly team: string;
  readonly app: { readonly name: string; readonly userId: string; readonly isConnected: boolean };
  readonly viewer: Person;
  readonly people: readonly Person[];
  readonly channels: readonly {
    readonly id: string;
    /** Without #; of a direct message, the other one's name. */
    readonly name: string;
    readonly kind: Channel['kind'];
    readonly topic: string;
    readonly memberCount: number;
    readonly isArchived: boolean;
    /** The newest message from someone else; null when there is none. */
    readonly latestTs: string | null;
  }[];
  readonly channelId: string;
  /** Threads included, oldest first. */
  readonly messages: readonly Message[];
  readonly ephemerals: readonly Ephemeral[];
  readonly views: readonly View[];
  readonly commands: readonly { readonly command: string; readonly description: string; readonly usageHint: string }[];
  readonly messageShortcuts: readonly { readonly name: string; readonly callbackId: string }[];
}

/** Messages of a channel that the page gets at once. */
const SHOWN = 300;

export function readPageState(
  deps: { workspace: Workspace; manifest: Manifest; isAppConnected: () => boolean },
  viewer: Person,
  channelReference: string | null,
): PageState {
  const { workspace, manifest } = deps;
  const channels = workspace.channels().filter((channel) => channel.members.includes(viewer.id));
  const wanted = channels.find((channel) => channel.id === channelReference || channel.name === channelReference);
  const channel = wanted ?? channels.find(({ members }) => members.includes(BOT_USER_ID)) ?? channels[0];
  const appName = workspace.findPerson(BOT_USER_ID)?.realName ?? manifest.display_information.name;
  return {
    team: TEAM.name,
    app: { name: appName, userId: BOT_USER_ID, isConnected: deps.isAppConnected() },
    viewer,
    people: workspace.people(),
    channels: channels.map((each) => ({
      id: each.id,
      name: each.kind === 'im' ? appName : each.name,
      kind: each.kind,
      topic: each.topic,
      memberCount: each.members.length,
      isArchived: each.isArchived,
      latestTs: workspace.messages(each.id).findLast(({ user }) => user !== viewer.id)?.ts ?? null,
    })),
    channelId: channel?.id ?? '',
    messages: channel === undefined ? [] : workspace.messages(channel.id).slice(-SHOWN),
    ephemerals: channel === undefined ? [] : workspace.ephemerals(viewer.id, channel.id),
    views: workspace.openViews(viewer.id),
    commands: manifest.features.slash_commands.map((each) => ({
      command: each.command,
      description: each.description,
      usageHint: each.usage_hint,
    })),
    messageShortcuts: manifest.features.shortcuts
      .filter(({ type }) => type === 'message')
      .map((each) => ({ name: each.name, callbackId: each.callback_id })),
  };
}
