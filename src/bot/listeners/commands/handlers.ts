import type { CommandWord } from '../../domain/commands.ts';
import { missingReference } from '../../views/answers.ts';
import { healthMessage } from '../../views/health.ts';
import { helpMessage, notAvailable } from '../../views/help.ts';
import { resolveReference } from '../answering.ts';
import { handleRules, handleSubscribe, handleUnsubscribe } from '../rules/commands.ts';
import { answerDetails, answerList } from '../show.ts';
import { openSignals } from '../signals/signals.ts';
import { handleAcknowledge, handleResolve } from './act.ts';
import { answers, type CommandHandler, opensView } from './handler.ts';

/** A word of the table whose feature is not built. */
const comesLater = answers((_deps, { word }, answer) => answer(notAvailable(word)));

function lists(word: 'open' | 'mine' | 'closed'): CommandHandler {
  return answers((deps, { filter, asker: { slackUserId } }, answer) =>
    answerList(deps, { word, filter, slackUserId }, 0, answer),
  );
}

export const COMMAND_HANDLERS: Readonly<Record<CommandWord, CommandHandler>> = {
  open: lists('open'),
  closed: lists('closed'),
  mine: lists('mine'),
  show: answers(async (deps, { references: [reference] }, answer) =>
    reference === undefined
      ? answer(missingReference('show'))
      : answerDetails(deps, await resolveReference(deps.store, reference), answer),
  ),
  ack: handleAcknowledge,
  resolve: handleResolve,
  snooze: comesLater,
  signals: opensView(async (deps, { references: [reference], triggerId, ack }, answer) =>
    reference === undefined
      ? answer(missingReference('signals'))
      : openSignals(deps, { incidentId: await resolveReference(deps.store, reference), triggerId }, answer, ack),
  ),
  subscribe: handleSubscribe,
  unsubscribe: handleUnsubscribe,
  rules: handleRules,
  stats: comesLater,
  handover: comesLater,
  export: comesLater,
  dashboard: comesLater,
  health: answers(async (deps, _request, answer) => answer(healthMessage(await deps.health()))),
  help: answers((_deps, { text }, answer) => answer(helpMessage(text))),
};
