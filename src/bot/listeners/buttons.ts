import type {
  AllMiddlewareArgs,
  BlockAction,
  ButtonAction,
  OverflowAction,
  SlackActionMiddlewareArgs,
} from '@slack/bolt';
import { z } from 'zod';
import { parseMenuValue } from '../incident/incident-buttons.ts';
import { type Answer, type Asker, answeringMembers, answeringResponders } from './answering.ts';
import { outdatedControl } from './answers.ts';
import type { ListenerDeps } from './deps.ts';

export type ControlAction = BlockAction<ButtonAction | OverflowAction>;
export type ButtonArgs = SlackActionMiddlewareArgs<ControlAction> & AllMiddlewareArgs;

export interface Click extends Asker {
  /** The value of the button, usually the id of the incident, or of the chosen item of a menu. */
  readonly value: string;
  readonly blockId: string;
  /** For five responses within 30 minutes; null: it is in a modal. */
  readonly responseUrl: string | null;
  /** The message that contains the button; null: it is in a modal. */
  readonly messageTs: string | null;
  readonly triggerId: string;
  /** Slack's time of the click, which orders the clicks of a person. */
  readonly actionTs: string;
  /** The modal that contains the button; null: it is in a message. */
  readonly view: {
    readonly id: string;
    readonly hash: string;
    readonly privateMetadata: string;
    readonly stateValues: unknown;
  } | null;
}

const MessageTs = z
  .object({ message_ts: z.string().nullable() })
  .transform(({ message_ts: ts }) => ts)
  .catch(null);

/** Creates a listener for a menu whose choices do what buttons do elsewhere. @param listeners of those buttons */
export function createMenuListener(
  deps: ListenerDeps,
  listeners: ReadonlyMap<string, (args: ButtonArgs) => Promise<void>>,
) {
  return async (args: ButtonArgs): Promise<void> => {
    const chosen = parseMenuValue(toClick(args).value);
    if (chosen === null) {
      return onClick(deps, (_click, answer) => answer(outdatedControl()))(args);
    }
    const { block_id, action_ts } = args.action;
    const text = { type: 'plain_text', text: '' } as const;
    const { actionId: action_id, incidentId: value } = chosen;
    const action: ButtonAction = { type: 'button', block_id, action_ts, text, action_id, value };
    await listeners.get(chosen.actionId)?.({ ...args, action, payload: action });
  };
}

/** Creates a listener for a button that changes nothing. */
export function onClick(deps: ListenerDeps, react: (click: Click, answer: Answer) => Promise<void>) {
  return async (args: ButtonArgs) => {
    await args.ack();
    const click = toClick(args);
    await answeringMembers(deps, click, args.respond, (answer) => react(click, answer));
  };
}

/**
 * Creates a listener for a button of responders that opens a form. It acknowledges once the form is open or the person was told
 * why it cannot open.
 *
 * @param open calls `onOpen` when the form is open
 */
export function onFormClick(
  deps: ListenerDeps,
  open: (click: Click, answer: Answer, onOpen: () => Promise<void>) => Promise<void>,
) {
  return async (args: ButtonArgs): Promise<void> => {
    const click = toClick(args);
    await answeringResponders(deps, click, args.respond, (answer) => open(click, answer, args.ack));
    await args.ack();
  };
}

export function toClick({ body, action }: ButtonArgs): Click {
  return {
    value: ('selected_option' in action ? action.selected_option.value : action.value) ?? '',
    blockId: action.block_id,
    responseUrl: body.response_url ?? null,
    messageTs: MessageTs.parse(body.container),
    slackUserId: body.user.id,
    channelId: body.channel?.id ?? null,
    what: action.action_id,
    triggerId: body.trigger_id,
    actionTs: action.action_ts,
    view:
      body.view === undefined
        ? null
        : {
            id: body.view.id,
            hash: body.view.hash,
            privateMetadata: body.view.private_metadata,
            stateValues: body.view.state.values,
          },
  };
}
