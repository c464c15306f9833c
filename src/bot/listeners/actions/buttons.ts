import type { AllMiddlewareArgs, BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import { type Answer, answerWith } from '../answering.ts';
import { perform } from '../commands/incidents.ts';
import type { ListenerDeps } from '../deps.ts';
import { openResolveModal } from '../open-resolve-modal.ts';
import { answerDetails, answerList } from '../show.ts';

interface Click {
  /** The button's value; the incident's id on all but "More". */
  readonly value: string;
  readonly slackUserId: string;
  readonly channelId: string | null;
  readonly triggerId: string;
}

/** A listener for a button: acknowledges the click, then runs `react`. */
function onClick(react: (click: Click, answer: Answer) => Promise<void>) {
  return async ({ ack, body, action, respond }: SlackActionMiddlewareArgs<BlockButtonAction> & AllMiddlewareArgs) => {
    await ack();
    const click = {
      value: action.value ?? '',
      slackUserId: body.user.id,
      channelId: body.channel?.id ?? null,
      triggerId: body.trigger_id,
    };
    await react(click, answerWith(respond));
  };
}

export function createAcknowledgeListener(deps: ListenerDeps) {
  return onClick(({ value, slackUserId, channelId }, answer) =>
    perform(deps, { kind: 'acknowledge', incidentId: value, slackUserId, channelId }, answer),
  );
}

export function createResolveListener(deps: ListenerDeps) {
  return onClick(({ value, channelId, triggerId }, answer) =>
    openResolveModal(deps, { incidentId: value, channelId, triggerId }, answer),
  );
}

export function createShowListener(deps: ListenerDeps) {
  return onClick(({ value }, answer) => answerDetails(deps, value, answer));
}

export function createMoreListener(deps: ListenerDeps) {
  return onClick(({ value }, answer) => answerList(deps, /^\d{1,6}$/.test(value) ? Number(value) : 0, answer));
}
