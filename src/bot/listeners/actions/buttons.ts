import type { AllMiddlewareArgs, BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import { type Answer, type Asker, answering } from '../answering.ts';
import { perform } from '../commands/incidents.ts';
import type { ListenerDeps } from '../deps.ts';
import { openResolveModal } from '../open-resolve-modal.ts';
import { answerDetails, answerList } from '../show.ts';

interface Click extends Asker {
  /** The button's value; the incident's id on all but "More". */
  readonly value: string;
  readonly triggerId: string;
}

/** A listener for a button: acknowledges the click, then runs `react`. */
function onClick(deps: ListenerDeps, react: (click: Click, answer: Answer) => Promise<void>) {
  return async ({ ack, body, action, respond }: SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs) => {
    await ack();
    const click = {
      value: action.value ?? '',
      slackUserId: body.user.id,
      channelId: body.channel?.id ?? null,
      triggerId: body.trigger_id,
    };
    await answering(deps, click, respond, (answer) => react(click, answer));
  };
}

export function createAcknowledgeListener(deps: ListenerDeps) {
  return onClick(deps, ({ value, slackUserId, channelId }, answer) =>
    perform(deps, { kind: 'acknowledge', incidentId: value, slackUserId, channelId }, answer),
  );
}

export function createResolveListener(deps: ListenerDeps) {
  return onClick(deps, ({ value, channelId, triggerId }, answer) =>
    openResolveModal(deps, { incidentId: value, channelId, triggerId }, answer),
  );
}

export function createShowListener(deps: ListenerDeps) {
  return onClick(deps, ({ value }, answer) => answerDetails(deps, value, answer));
}

export function createMoreListener(deps: ListenerDeps) {
  return onClick(deps, ({ value }, answer) => answerList(deps, /^\d{1,6}$/.test(value) ? Number(value) : 0, answer));
}
