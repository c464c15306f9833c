/**
 * What a workspace holds. `ts` is Slack's name of a message within its channel: an opaque string, never a number.
 * Ids carry their kind in the first letter: T team, C channel, D direct message, U person, B bot, A app, V view.
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
  /** Empty for a direct message. */
  readonly name: string;
  readonly kind: 'public' | 'private' | 'im';
  readonly topic: string;
  readonly members: readonly string[];
  readonly isArchived: boolean;
  readonly createdAt: number;
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

export interface Message {
  readonly kind: 'message';
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  /** Posted by the app, not by a person. */
  readonly isFromApp: boolean;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly attachments: readonly unknown[];
  readonly metadata: MessageMetadata | null;
  readonly threadTs: string | null;
  /** Shown as "(edited)". */
  readonly isEdited: boolean;
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
