/** Types of the page's scripts, which import this file in JSDoc comments only. It has no code. */
import type {
  ActionsBlock,
  ActionsBlockElement,
  ContextBlock,
  DividerBlock,
  HeaderBlock,
  ImageBlock,
  ImageElement,
  InputBlock,
  InputBlockElement,
  PlainTextOption,
  SectionBlock,
} from '@slack/types';
import type { Ephemeral, Message, Person, UserGroup } from '../../workspace/model.ts';
import type { Place } from '../page-types.ts';

/** A message that everybody sees, or an ephemeral one. */
export type Item = Message | Ephemeral;

/** Names of people and channels, for mentions and selects. */
export interface Directory {
  readonly people: readonly Person[];
  readonly channels: readonly Place[];
  readonly userGroups: readonly UserGroup[];
  readonly appUserId: string;
  readonly team: { readonly id: string; readonly name: string };
}

/** The message or view that a person acts in, as the routes take it. */
export type PlaceRef =
  | { readonly kind: Item['kind']; readonly channel: string; readonly ts: string }
  | { readonly kind: 'view'; readonly id: string };

/** What the renderers of blocks need to know. */
export interface BlockContext {
  readonly place: PlaceRef;
  /** The beginning of ids on the page: a message may be in the channel and in its thread. */
  readonly prefix: string;
  readonly directory: Directory;
  /** By block_id. */
  readonly errors?: Readonly<Record<string, string>>;
}

/** The elements that local Slack accepts. */
type Accepted<T> = Exclude<T, { readonly type: 'file_input' | 'rich_text_input' | 'workflow_button' }>;
export type AnyElement = Accepted<ActionsBlockElement | InputBlockElement>;
/** An element with a value. */
export type AnyField = Exclude<AnyElement, { readonly type: 'button' | 'overflow' }>;
export type AnyInput = Omit<InputBlock, 'element'> & {
  readonly block_id: string;
  readonly element: Accepted<InputBlockElement>;
};

/** The blocks that local Slack accepts, with the ids that it fills in. */
export type AnyBlock =
  | AnyInput
  | (Omit<ActionsBlock, 'elements'> & { readonly block_id: string; readonly elements: readonly AnyElement[] })
  | (Omit<SectionBlock, 'accessory'> & { readonly block_id: string; readonly accessory?: AnyElement | ImageElement })
  | ((ContextBlock | DividerBlock | HeaderBlock | ImageBlock) & { readonly block_id: string });

/** What a person typed or chose. */
export type InputValue = string | readonly string[];

/** Something that a select offers. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string | undefined;
}

/** The options of a select, in groups or not. */
export interface SelectOptions {
  readonly options?: readonly PlainTextOption[];
  readonly option_groups?: readonly { readonly options: readonly PlainTextOption[] }[];
}

/** What local Slack answers to an action. `shown` is an error message for the person. */
export interface Answer {
  readonly shown: string | null;
}

/** The fields of attachments that the page shows. */
export interface Attachment {
  readonly title?: string;
  readonly title_link?: string;
  readonly text?: string;
  readonly fallback?: string;
  readonly color?: string;
  readonly blocks?: readonly AnyBlock[];
}

/** What a list of messages needs to know. */
export interface MessageContext {
  readonly directory: Directory;
  /** Opens a thread. Null inside a thread. */
  readonly openThread: ((ts: string) => void) | null;
  readonly repliesOf: (ts: string) => readonly Message[];
  readonly menuItems: (message: Message) => readonly MenuItem[];
}

export interface MenuItem {
  readonly text: string;
  readonly description?: string | undefined;
  /** @param button that opened the menu */
  readonly run: (button: HTMLElement) => unknown;
}

export interface FieldOptions {
  readonly id: string;
  /** `block_id/action_id` */
  readonly key: string;
  readonly onchange: ((event: Event) => unknown) | undefined;
}
