/** Types of the page's scripts, which import this file in JSDoc comments only. It has no code. */
import type {
  ActionsBlockElement,
  ContextActionsBlockElement,
  InputBlockElement,
  KnownBlock,
  PlainTextOption,
  SectionBlockAccessory,
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

/** https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block, which `@slack/types` lacks. */
export interface ChartBlock {
  readonly type: 'data_visualization';
  readonly title: string;
  readonly chart: PieChart | SeriesChart;
}
export interface PieChart {
  readonly type: 'pie';
  readonly segments: readonly { readonly label: string; readonly value: number }[];
}
export interface SeriesChart {
  readonly type: 'bar' | 'area' | 'line';
  readonly series: readonly Series[];
  readonly axis_config: {
    readonly categories: readonly string[];
    readonly x_label?: string;
    readonly y_label?: string;
  };
}
export interface Series {
  readonly name: string;
  readonly data: readonly { readonly label: string; readonly value: number }[];
}

export type AnyBlock = KnownBlock | ChartBlock;
export type AnyElement =
  | ActionsBlockElement
  | ContextActionsBlockElement
  | InputBlockElement
  | Exclude<SectionBlockAccessory, { type: 'image' }>;

/** The ids that identify an element: local Slack fills in missing ones. */
export interface BlockRef {
  readonly block_id?: string | undefined;
}
export interface ElementRef {
  readonly action_id?: string | undefined;
}

/** What a person typed or chose. */
export type InputValue = string | string[];

/** The input for one element. */
export interface Field {
  readonly node: HTMLElement;
  /** The node that gets the focus and the label. */
  readonly focusable: HTMLElement;
  /** Several controls with one label. */
  readonly isGroup?: boolean;
  readonly read: () => InputValue;
  readonly write: (value: InputValue) => void;
  /** Resolves when all files are uploaded. */
  readonly ready?: () => Promise<void>;
}

/** The options of a select, in groups or not. */
export interface SelectOptions {
  readonly options?: readonly PlainTextOption[];
  readonly option_groups?: readonly {
    readonly label: { readonly text: string };
    readonly options: readonly PlainTextOption[];
  }[];
}

/** Something that a select offers. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string | undefined;
}
export interface ChoiceGroup {
  readonly label: string | null;
  readonly choices: readonly Choice[];
}

/** What local Slack answers to an action. `shown` is an error message for the person. */
export interface Answer {
  readonly shown: string | null;
}
export interface Suggestions extends Answer, SelectOptions {}
export interface UploadAnswer extends Answer {
  readonly id?: string;
}

/** Sends the actions of a person to local Slack. */
export interface Server {
  readonly perform: (action: string, body: object) => Promise<string | null>;
  readonly suggest: (body: object) => Promise<Suggestions>;
  readonly upload: (file: File) => Promise<UploadAnswer>;
}

export type NoteField = (block: BlockRef, element: ElementRef, field: Field, error?: HTMLElement) => void;

/** What the renderers of blocks need to know. */
export interface BlockContext {
  /** The message or view, the same after a redraw. */
  readonly place: string;
  readonly directory: Directory;
  readonly viewer?: string;
  /** Sends an action and returns the error message for the person, or null. */
  readonly act: (block: BlockRef, element: ElementRef, chosen?: InputValue) => Promise<string | null>;
  /** Asks the app for the options of an external select. */
  readonly suggest: (block: BlockRef, element: ElementRef, typed: string) => Promise<Suggestions>;
  /** Called for every field that can be filled in. */
  readonly noteField: NoteField;
  /** Present where files can be uploaded. */
  readonly upload?: (file: File) => Promise<UploadAnswer>;
}

/** For blocks that contain other blocks and elements. */
export interface NestingContext extends BlockContext {
  readonly renderBlock: (block: AnyBlock, context: BlockContext) => HTMLElement;
  readonly renderElement: (block: BlockRef, element: AnyElement, context: BlockContext) => Node;
}

/** The fields of attachments that the page shows. */
export interface Attachment {
  readonly service_name?: string;
  readonly author_name?: string;
  readonly author_link?: string;
  readonly title?: string;
  readonly title_link?: string;
  readonly pretext?: string;
  readonly text?: string;
  readonly fields?: readonly { readonly title?: string; readonly value?: string }[];
  readonly image_url?: string;
  readonly thumb_url?: string;
  readonly footer?: string;
  readonly fallback?: string;
  readonly color?: string;
  readonly blocks?: readonly AnyBlock[];
}

/** What a person can do with a message. */
export interface MessageActions {
  readonly act: (
    item: Item,
    block: BlockRef,
    element: ElementRef,
    chosen: InputValue | undefined,
    values: Record<string, InputValue>,
  ) => Promise<string | null>;
  readonly suggest: (item: Item, block: BlockRef, element: ElementRef, typed: string) => Promise<Suggestions>;
  readonly react: (message: Message, emoji: string, isOn: boolean) => void;
}

/** What a list of messages needs to know. */
export interface MessageContext extends MessageActions {
  readonly directory: Directory;
  /** The id of the person who looks at the page. */
  readonly viewer: string;
  /** The message below the line "New". Null for no line. */
  readonly firstNewTs: string | null;
  /** Opens a thread. Null inside a thread. */
  readonly openThread: ((ts: string) => void) | null;
  readonly repliesOf: (ts: string) => readonly Message[];
  readonly menuItems: (message: Message) => readonly MenuItem[];
}

export interface MenuItem {
  readonly text: string;
  readonly description?: string | undefined;
  readonly run: () => unknown;
}
