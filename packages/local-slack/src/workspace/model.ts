/**
 * The content of a workspace. `ts` identifies a message within its channel; it is an opaque string, never a number.
 * The prefix of an id is its kind: T team, C channel, D direct message, G group message, U person, B bot, A app, V view,
 * F file, S user group, Bk bookmark. Times that end in `At` are in seconds.
 */
export interface Person {
  readonly id: string;
  /** The handle, without @. */
  readonly name: string;
  readonly realName: string;
  readonly email: string | null;
  readonly isBot: boolean;
  readonly isGuest: boolean;
  /** Differs from the workspace's for people who joined through a shared channel. */
  readonly teamId: string;
  readonly timeZone: string;
}

export interface Channel {
  readonly id: string;
  /** Empty for a direct message. Derived from the members' handles for a group message. */
  readonly name: string;
  readonly kind: 'public' | 'private' | 'im' | 'mpim';
  readonly topic: string;
  readonly purpose: string;
  readonly members: readonly string[];
  readonly isArchived: boolean;
  readonly createdAt: number;
  /** Who created it; absent: Slack did, with the workspace. */
  readonly creator?: string;
}

/** A direct message or a group message. Nobody can join or leave it. */
export function isDirect({ kind }: Pick<Channel, 'kind'>): boolean {
  return kind === 'im' || kind === 'mpim';
}

export interface Block {
  readonly type: string;
  readonly block_id: string;
  readonly [field: string]: unknown;
}

export interface MessageMetadata {
  readonly event_type: string;
  readonly event_payload: Readonly<Record<string, unknown>>;
}

export interface Pin {
  readonly by: string;
  readonly pinnedAt: number;
}

export interface SharedFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  /** Null when the app gave none. */
  readonly altText: string | null;
  readonly contentType: string;
  /** Slack's name of the format, for example `png` or `text`. */
  readonly fileType: string;
  readonly size: number;
  readonly user: string;
  readonly createdAt: number;
  /** Path of the content on this server. */
  readonly path: string;
}

export interface Message {
  readonly kind: 'message';
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  readonly isFromApp: boolean;
  /** Another app posted it. `isCustom`: under a name of its choice, or by an incoming webhook. Null: no other app did. */
  readonly tool: { readonly name: string; readonly isCustom: boolean } | null;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Includes unfurled links, which have a `from_url`. */
  readonly attachments: readonly Readonly<Record<string, unknown>>[];
  readonly files: readonly SharedFile[];
  /** Null when it is not pinned. */
  readonly pin: Pin | null;
  readonly metadata: MessageMetadata | null;
  readonly threadTs: string | null;
  /** A reply that is also shown in the channel. */
  readonly isBroadcast: boolean;
  /** Shown as "(edited)". */
  readonly isEdited: boolean;
  /** Time of the last such edit. */
  readonly editedTs: string | null;
  /** Incremented by every change. */
  readonly revision: number;
}

/** A message that only one person sees. No API method can read it. */
export interface Ephemeral {
  readonly kind: 'ephemeral';
  readonly ts: string;
  readonly channel: string;
  readonly viewer: string;
  /** Slackbot reports failures on behalf of Slack. */
  readonly from: 'app' | 'slackbot';
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly threadTs: string | null;
  readonly revision: number;
}

/** A view as the app sent it, validated, with ids for all blocks. */
export interface ViewContent {
  readonly type: 'modal' | 'home';
  readonly title: Readonly<Record<string, unknown>> | null;
  readonly submit: Readonly<Record<string, unknown>> | null;
  readonly close: Readonly<Record<string, unknown>> | null;
  readonly blocks: readonly Block[];
  readonly callback_id: string;
  readonly external_id: string;
  readonly private_metadata: string;
  readonly clear_on_close: boolean;
  readonly notify_on_close: boolean;
}

export interface View {
  readonly kind: 'view';
  readonly id: string;
  readonly viewer: string;
  readonly hash: string;
  readonly rootViewId: string;
  readonly previousViewId: string | null;
  readonly content: ViewContent;
  /** Error messages at the inputs, by block_id. */
  readonly errors: Readonly<Record<string, string>>;
  /** Error message for the whole view, when the app did not answer. */
  readonly failure: string | null;
}

export interface Bookmark {
  readonly id: string;
  readonly channel: string;
  readonly title: string;
  readonly link: string;
  /** With colons. */
  readonly emoji: string | null;
  readonly createdAt: number;
}

/** People who can be mentioned together, for example as `@oncall`. */
/** A person gets no notifications: Slack calls it snooze. */
export interface NotificationPause {
  /** Of the person. */
  readonly id: string;
  /** Seconds. */
  readonly until: number;
}

export interface UserGroup {
  readonly id: string;
  readonly name: string;
  readonly handle: string;
  readonly users: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** How far a person has read a channel. */
export interface ReadMark {
  /** The id of the person, a space, and the id of the channel. */
  readonly id: string;
  /** The newest message that they have seen. */
  readonly ts: string;
}

export interface Content {
  readonly text: string;
  readonly blocks: readonly Record<string, unknown>[];
}
