import type { AllMiddlewareArgs, BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import { type Answer, type Asker, ackOnceKept, answering } from '../answering.ts';
import { perform } from '../commands/incidents.ts';
import type { ListenerDeps } from '../deps.ts';
import { openResolveModal } from '../open-resolve-modal.ts';
import { answerDetails, answerList } from '../show.ts';

export interface Click extends Asker {
  /** The button's value; the incident's id on all but "More". */
  readonly value: string;
  readonly triggerId: string;
  /** The modal that the button is in; null: it is in a message. */
  readonly view: {
    readonly id: string;
    readonly hash: string;
    readonly privateMetadata: string;
    readonly stateValues: unknown;
  } | null;
}

type ButtonArgs = SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs;

/** A listener for a button that changes nothing: acknowledges the click, then runs `react`. */
export function onClick(deps: ListenerDeps, react: (click: Click, answer: Answer) => Promise<void>) {
  return async (args: ButtonArgs) => {
    await args.ack();
    const click = toClick(args);
    await answering(deps, click, args.respond, (answer) => react(click, answer));
  };
}

/** A listener for a button that asks for something: the click is acknowledged once `react` has kept it. */
export function onRequest(
  deps: ListenerDeps,
  react: (click: Click, answer: Answer, onKept: () => Promise<void>) => Promise<void>,
) {
  return (args: ButtonArgs) => {
    const click = toClick(args);
    return ackOnceKept(args.ack, (onKept) =>
      answering(deps, click, args.respond, (answer) => react(click, answer, onKept)),
    );
  };
}

function toClick({ body, action }: ButtonArgs): Click {
  return {
    value: action.value ?? '',
    slackUserId: body.user.id,
    channelId: body.channel?.id ?? null,
    what: action.action_id,
    triggerId: body.trigger_id,
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
  return onRequest(deps, ({ value, slackUserId, channelId }, answer, onKept) =>
    perform(deps, { kind: 'acknowledge', incidentId: value, slackUserId, channelId }, answer, onKept),
  );
}

export function createResolveListener(deps: ListenerDeps) {
  return onRequest(deps, ({ value, channelId, triggerId }, answer, onOpen) =>
    openResolveModal(deps, { incidentId: value, channelId, triggerId }, answer, onOpen),
  );
}

export function createShowListener(deps: ListenerDeps) {
  return onClick(deps, ({ value }, answer) => answerDetails(deps, value, answer));
}

export function createMoreListener(deps: ListenerDeps) {
  return onClick(deps, ({ value }, answer) => answerList(deps, /^\d{1,6}$/.test(value) ? Number(value) : 0, answer));
}
