/**
 * What a workspace holds. `ts` is Slack's name of a message within its channel: an opaque string, never a number.
 * Ids carry their kind in the first letters: T team, C channel, D direct message, G group message, U person, B bot, A app, V view,
 * F file, Q scheduled message, S user group, Bk bookmark. Times that end in `At` are seconds.
 */
export interface Person {
  readonly id: string;
  /** The handle: what a person types after @. */
  readonly name: string;
  readonly realName: string;
  readonly email: string | null;
  readonly isBot: boolean;
  readonly isGuest: boolean;
  /** Another one than the workspace's for people who come in by a shared channel. */
  readonly teamId: string;
  readonly timeZone: string;
}

export interface Channel {
  readonly id: string;
  /** Empty for a direct message; made from the members' handles for a group message. */
  readonly name: string;
  readonly kind: 'public' | 'private' | 'im' | 'mpim';
  readonly topic: string;
  readonly purpose: string;
  readonly members: readonly string[];
  readonly isArchived: boolean;
  readonly createdAt: number;
}

/** Whether its members are its name: a direct message or a group message, which nobody joins or leaves. */
export function isDirect({ kind }: Pick<Channel, 'kind'>): boolean {
  return kind === 'im' || kind === 'mpim';
}

export interface Block {
  readonly type: string;
  readonly block_id: string;
  readonly [field: string]: unknown;
}

/** A Work Object; what more it says depends on its type. */
export interface Entity {
  readonly entity_type: string;
  readonly url: string;
  readonly external_ref: { readonly id: string; readonly type?: string };
  readonly entity_payload: {
    readonly attributes: { readonly title: { readonly text: string } };
    readonly [field: string]: unknown;
  };
}

export interface MessageMetadata {
  readonly event_type: string;
  readonly event_payload: Readonly<Record<string, unknown>>;
}

/** What one person sees beside the conversation of a Work Object that they opened. */
export interface EntityDetails {
  /** The person's: each sees one at a time. */
  readonly id: string;
  readonly entity: Entity | null;
  /** Where they connect their account before they see more. */
  readonly authUrl: string | null;
  /** Why there is nothing to see, as the app sent it. */
  readonly error: Readonly<Record<string, unknown>> | null;
}

/** One emoji under a message, with everyone who chose it, the first one first. */
export interface Reaction {
  /** The short name, without colons. */
  readonly name: string;
  readonly users: readonly string[];
}

export interface Pin {
  readonly by: string;
  readonly pinnedAt: number;
}

export interface SharedFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  /** What a screen reader says of an image; null when the app did not give it. */
  readonly altText: string | null;
  readonly contentType: string;
  /** Slack's word for the format, as `png` or `text`. */
  readonly fileType: string;
  readonly size: number;
  readonly user: string;
  readonly createdAt: number;
  /** Where its bytes are, below the address of this server. */
  readonly path: string;
  /** A message goes on showing where a deleted file was. */
  readonly isDeleted: boolean;
}

export interface Message {
  readonly kind: 'message';
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  /** Posted by the app, not by a person. */
  readonly isFromApp: boolean;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Unfurled links are among them, with their address as `from_url`. */
  readonly attachments: readonly Readonly<Record<string, unknown>>[];
  readonly files: readonly SharedFile[];
  readonly reactions: readonly Reaction[];
  /** Null when it is not pinned to its channel. */
  readonly pin: Pin | null;
  readonly metadata: MessageMetadata | null;
  /** The Work Objects that the app sent with it. */
  readonly entities: readonly Entity[];
  readonly threadTs: string | null;
  /** A reply that is shown in the channel too. */
  readonly isBroadcast: boolean;
  /** Shown as "(edited)". */
  readonly isEdited: boolean;
  /** When it was last edited so. */
  readonly editedTs: string | null;
  /** Every change counts one up. */
  readonly revision: number;
}

/** A message that one person alone sees, and that no API method can read back. */
export interface Ephemeral {
  readonly kind: 'ephemeral';
  readonly ts: string;
  readonly channel: string;
  readonly viewer: string;
  /** Slackbot speaks where Slack itself reports a failure. */
  readonly from: 'app' | 'slackbot';
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly threadTs: string | null;
  readonly revision: number;
}

/** What an app sends as a view, checked and with every block named. */
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
  /** What the person is told at the inputs, by block_id. */
  readonly errors: Readonly<Record<string, string>>;
  /** What the person is told about the whole view: the app did not answer. */
  readonly trouble: string | null;
}

export interface Bookmark {
  readonly id: string;
  readonly channel: string;
  readonly title: string;
  readonly link: string;
  /** With colons. */
  readonly emoji: string | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** People who are mentioned together, as `@oncall`. */
export interface UserGroup {
  readonly id: string;
  readonly name: string;
  readonly handle: string;
  readonly description: string;
  /** The channels that its members are expected in. */
  readonly channels: readonly string[];
  readonly users: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Null while it is enabled. */
  readonly disabledAt: number | null;
}

/** Up to where somebody has read a channel. */
export interface ReadMark {
  /** The ids of the person and of the channel, with a space between. */
  readonly id: string;
  /** Of the newest message that they have seen. */
  readonly ts: string;
}

/** What the app will post, checked when it was scheduled. */
export interface ScheduledMessage {
  readonly id: string;
  readonly channel: string;
  readonly postAt: number;
  readonly createdAt: number;
  readonly text: string;
  readonly blocks: readonly Readonly<Record<string, unknown>>[];
  readonly attachments: readonly Readonly<Record<string, unknown>>[];
  readonly metadata: MessageMetadata | null;
  readonly threadTs: string | null;
  readonly isBroadcast: boolean;
}
