import type { Manifest } from '../manifest.ts';
import { type Channel, isDirect, type Person } from '../workspace/model.ts';
import { type AppChannel, BOT_USER_ID, TEAM } from '../workspace/seed.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { PageState, Shortcut } from './page-types.ts';
import type { ReadMarks } from './read-marks.ts';

/** Number of messages of a channel that are sent to the page. */
const MAX_MESSAGES = 300;

/** @param channelReference an id, a name, or `app` for the direct message with the app */
export function readPageState(
  deps: {
    workspace: Workspace;
    manifest: Manifest;
    appChannel: AppChannel;
    marks: ReadMarks;
    isAppConnected: () => boolean;
  },
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
    messages: channel === undefined ? [] : workspace.messages(channel.id).slice(-MAX_MESSAGES),
    ephemerals: channel === undefined ? [] : workspace.ephemerals(viewer.id, channel.id),
    welcome: channel?.id === deps.appChannel.id ? deps.appChannel.welcome : null,
    views: workspace.openViews(viewer.id),
    home: workspace.findHome(viewer.id),
    commands: manifest.features.slash_commands.map((each) => ({
      command: each.command,
      description: each.description,
      usageHint: each.usage_hint,
    })),
    globalShortcuts: shortcutsOf('global'),
    messageShortcuts: shortcutsOf('message'),
    userGroups: workspace.userGroups.all(),
  };
}

function isWithApp({ kind, members }: Channel): boolean {
  return kind === 'im' && members.includes(BOT_USER_ID);
}

function namesOfOthers(workspace: Workspace, { members }: Channel, viewer: Person): string {
  const others = members.filter((id) => id !== viewer.id);
  return others.map((id) => workspace.findPerson(id)?.realName ?? id).join(', ');
}
