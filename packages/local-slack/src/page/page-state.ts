import type { Manifest } from '../manifest.ts';
import { type Channel, type Ephemeral, isDirect, type Message, type Person, type View } from '../workspace/model.ts';
import { BOT_USER_ID, TEAM } from '../workspace/seed.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { ReadMarks, Unread } from './read-marks.ts';

interface Place extends Unread {
  readonly id: string;
  /** Without #; of a direct message or a group message, the names of the others. */
  readonly name: string;
  readonly kind: Channel['kind'];
  readonly isDirect: boolean;
  /** Whether it is the direct message with the app. */
  readonly isApp: boolean;
  readonly topic: string;
  readonly memberCount: number;
  readonly isArchived: boolean;
}

interface Shortcut {
  readonly name: string;
  readonly description: string;
  readonly callbackId: string;
}

/** All that the page shows to one person who looks at one channel. */
export interface PageState {
  readonly team: { readonly id: string; readonly name: string };
  readonly app: {
    readonly name: string;
    readonly description: string;
    readonly userId: string;
    readonly isConnected: boolean;
    readonly hasHome: boolean;
    readonly hasMessages: boolean;
    readonly takesMessages: boolean;
  };
  readonly viewer: Person;
  readonly people: readonly Person[];
  readonly channels: readonly Place[];
  /** Empty for somebody who is in no channel. */
  readonly channelId: string;
  /** The newest message of this channel that the person has seen before. */
  readonly lastReadTs: string;
  /** Threads included, oldest first. */
  readonly messages: readonly Message[];
  readonly ephemerals: readonly Ephemeral[];
  readonly views: readonly View[];
  /** What the app published as this person's Home. */
  readonly home: View | null;
  readonly commands: readonly { readonly command: string; readonly description: string; readonly usageHint: string }[];
  readonly globalShortcuts: readonly Shortcut[];
  readonly messageShortcuts: readonly Shortcut[];
}

/** Messages of a channel that the page gets at once. */
const SHOWN = 300;

/** @param channelReference an id, a name, or `app` for the direct message with the app */
export function readPageState(
  deps: { workspace: Workspace; manifest: Manifest; marks: ReadMarks; isAppConnected: () => boolean },
  viewer: Person,
  channelReference: string | null,
): PageState {
  const { workspace, manifest, marks } = deps;
  const channels = workspace.channels().filter((channel) => channel.members.includes(viewer.id));
  const wanted = channels.find(
    (channel) =>
      channel.id === channelReference ||
      channel.name === channelReference ||
      (channelReference === 'app' && isWithApp(channel)),
  );
  const channel = wanted ?? channels.find(({ members }) => members.includes(BOT_USER_ID)) ?? channels[0];
  const { app_home: appHome, shortcuts } = manifest.features;
  const appName = workspace.findPerson(BOT_USER_ID)?.realName ?? manifest.display_information.name;
  const shortcutsOf = (type: 'global' | 'message'): Shortcut[] =>
    shortcuts
      .filter((each) => each.type === type)
      .map((each) => ({ name: each.name, description: each.description, callbackId: each.callback_id }));
  return {
    team: { id: TEAM.id, name: TEAM.name },
    app: {
      name: appName,
      description: manifest.display_information.description,
      userId: BOT_USER_ID,
      isConnected: deps.isAppConnected(),
      hasHome: appHome.home_tab_enabled,
      hasMessages: appHome.messages_tab_enabled,
      takesMessages: !appHome.messages_tab_read_only_enabled,
    },
    viewer,
    people: workspace.people(),
    channels: channels.map((each) => ({
      id: each.id,
      name: isDirect(each) ? namesOfOthers(workspace, each, viewer) : each.name,
      kind: each.kind,
      isDirect: isDirect(each),
      isApp: isWithApp(each),
      topic: each.topic,
      memberCount: each.members.length,
      isArchived: each.isArchived,
      ...marks.unread(viewer.id, each.id),
    })),
    channelId: channel?.id ?? '',
    lastReadTs: channel === undefined ? '' : marks.lastRead(viewer.id, channel.id),
    messages: channel === undefined ? [] : workspace.messages(channel.id).slice(-SHOWN),
    ephemerals: channel === undefined ? [] : workspace.ephemerals(viewer.id, channel.id),
    views: workspace.openViews(viewer.id),
    home: workspace.findHome(viewer.id),
    commands: manifest.features.slash_commands.map((each) => ({
      command: each.command,
      description: each.description,
      usageHint: each.usage_hint,
    })),
    globalShortcuts: shortcutsOf('global'),
    messageShortcuts: shortcutsOf('message'),
  };
}

function isWithApp({ kind, members }: Channel): boolean {
  return kind === 'im' && members.includes(BOT_USER_ID);
}

function namesOfOthers(workspace: Workspace, { members }: Channel, viewer: Person): string {
  const others = members.filter((id) => id !== viewer.id);
  return others.map((id) => workspace.findPerson(id)?.realName ?? id).join(', ');
}
