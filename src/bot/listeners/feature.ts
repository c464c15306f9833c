import type {
  AllMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackEventMiddlewareArgs,
  SlackOptionsMiddlewareArgs,
  SlackShortcut,
  SlackShortcutMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import type { ActionDefinitions } from '../actions/definition.ts';
import type { Kinds } from '../actions/kind.ts';
import type { MessageKinds } from '../messages/kind.ts';
import type { ButtonArgs } from './buttons.ts';
import type { CommandHandler } from './command-handler.ts';
import type { Command } from './commands.ts';

export type Listener<Args> = (args: Args & AllMiddlewareArgs) => Promise<void>;
type ById<Args> = Readonly<Record<string, Listener<Args>>>;

/** What a room answers in Slack, by the ids that Slack sends back. */
export interface Listeners {
  readonly commands?: ById<SlackCommandMiddlewareArgs>;
  readonly buttons?: Readonly<Record<string, (args: ButtonArgs) => Promise<void>>>;
  readonly forms?: ById<SlackViewMiddlewareArgs<ViewSubmitAction>>;
  readonly shortcuts?: ById<SlackShortcutMiddlewareArgs<SlackShortcut>>;
  /** Options of fields, while somebody types. */
  readonly options?: ById<SlackOptionsMiddlewareArgs<'block_suggestion'>>;
  readonly onMessage?: Listener<SlackEventMiddlewareArgs<'message'>>;
  readonly onHomeOpened?: Listener<SlackEventMiddlewareArgs<'app_home_opened'>>;
  readonly onLinkShared?: Listener<SlackEventMiddlewareArgs<'link_shared'>>;
}

/** A word after `/incidents`, and who handles it. */
export interface HandledCommand<Deps> extends Command {
  readonly handle: CommandHandler<Deps>;
}

/** What a function of a room needs. */
export type Needs<Create extends (deps: never) => unknown> = Parameters<Create>[0];

/**
 * What a room registers.
 *
 * @typeParam Deps what its listeners need, their own stores among it
 * @typeParam MessageDeps what its kinds of messages need
 * @typeParam ActionDeps what its kinds of actions need
 */
export interface Feature<Deps, MessageDeps = never, ActionDeps = never> {
  /** By word. The order is that of the help. */
  readonly words?: Readonly<Record<string, HandledCommand<Deps>>>;
  readonly listeners?: (deps: Deps) => Listeners;
  /** Its kinds of messages. */
  readonly messages?: (deps: MessageDeps) => Partial<MessageKinds>;
  /** Its kinds of actions: what they are, and how they are done at the service. */
  readonly actions?: {
    readonly definitions: Partial<ActionDefinitions>;
    readonly kinds: (deps: ActionDeps) => Partial<Kinds>;
  };
}
