/** The types that the server and the page share. This file has no code: the page's scripts import it for type checks. */
import type { Channel, Ephemeral, Message, Person, UserGroup, View } from '../workspace/model.ts';

export interface Unread {
  readonly isUnread: boolean;
  /** Unread messages that mention the person or everyone. All unread messages in a direct message. */
  readonly mentions: number;
}

/** A channel or direct message in the sidebar. */
export interface Place extends Unread {
  readonly id: string;
  /** Without #. The names of the other members for a direct message. */
  readonly name: string;
  readonly kind: Channel['kind'];
  readonly isDirect: boolean;
  /** The direct message with the app. */
  readonly isApp: boolean;
  readonly topic: string;
  readonly memberCount: number;
  readonly isArchived: boolean;
}

export interface Command {
  readonly command: string;
  readonly description: string;
  readonly usageHint: string;
}

export interface Shortcut {
  readonly name: string;
  readonly description: string;
  readonly callbackId: string;
}

/** Everything that the page shows to one person who looks at one channel. */
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
  /** Empty when the person is in no channel. */
  readonly channelId: string;
  /** The newest message of the channel that the person has read. */
  readonly lastReadTs: string;
  /** Oldest first, with threads. */
  readonly messages: readonly Message[];
  readonly ephemerals: readonly Ephemeral[];
  /** mrkdwn to show while the channel is empty. Null when there is none. */
  readonly welcome: string | null;
  readonly views: readonly View[];
  /** The Home tab that the app published for this person. */
  readonly home: View | null;
  readonly commands: readonly Command[];
  readonly globalShortcuts: readonly Shortcut[];
  readonly messageShortcuts: readonly Shortcut[];
  readonly userGroups: readonly UserGroup[];
}
