import type { AllMiddlewareArgs, BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import { NO_FILTER } from '../../domain/incident-filter.ts';
import { parseMoreValue } from '../../views/incident-list.ts';
import { type Answer, type Asker, answeringMembers, answeringResponders, keepThenSend } from '../answering.ts';
import type { ListenerDeps } from '../deps.ts';
import { openResolveModal } from '../open-resolve-modal.ts';
import { parseIncidentsCommand } from '../parse-command.ts';
import { answerDetails, answerList } from '../show.ts';

export type ButtonArgs = SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs;

export interface Click extends Asker {
  /** The button's value, usually the id of the incident. */
  readonly value: string;
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

/** Creates a listener for a button that changes nothing. */
export function onClick(deps: ListenerDeps, react: (click: Click, answer: Answer) => Promise<void>) {
  return async (args: ButtonArgs) => {
    await args.ack();
    const click = toClick(args);
    await answeringMembers(deps, click, args.respond, (answer) => react(click, answer));
  };
}

export function toClick({ body, action }: ButtonArgs): Click {
  return {
    value: action.value ?? '',
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

export function createAcknowledgeListener(deps: ListenerDeps) {
  return (args: ButtonArgs) => {
    const click = toClick(args);
    const { value: incidentId, triggerId: source, slackUserId, channelId } = click;
    const request = { source, kind: 'acknowledge', incidentId, slackUserId, channelId, note: null } as const;
    return keepThenSend(deps, request, click, args);
  };
}

/** Acknowledges once the form is open or the person was told why it cannot open. */
export function createResolveListener(deps: ListenerDeps) {
  return async (args: ButtonArgs) => {
    const click = toClick(args);
    const { value: incidentId, channelId, triggerId } = click;
    await answeringResponders(deps, click, args.respond, (answer) =>
      openResolveModal(deps, { incidentId, channelId, triggerId }, answer, args.ack),
    );
    await args.ack();
  };
}

export function createShowListener(deps: ListenerDeps) {
  return onClick(deps, ({ value }, answer) => answerDetails(deps, value, answer));
}

/** The next page of a list: its button has the offset and the command. */
export function createMoreListener(deps: ListenerDeps) {
  return onClick(deps, async ({ value, slackUserId }, answer) => {
    const { offset, command } = parseMoreValue(value);
    const parsed = parseIncidentsCommand(command);
    const { word, filter } = parsed.kind === 'command' ? parsed : { word: 'open', filter: NO_FILTER };
    const list = word === 'mine' || word === 'closed' ? word : 'open';
    await answerList(deps, { word: list, filter, slackUserId }, offset, answer);
  });
}
