import { handleActions } from './act/act-command.ts';
import { handleDeclare } from './declare/declare-command.ts';
import type { CommandWord } from './domain/commands.ts';
import { handleExport } from './export/export-command.ts';
import { handleHandover } from './handover/handover-command.ts';
import { answers, type CommandHandler, opensView } from './listeners/command-handler.ts';
import { findReferences } from './listeners/references.ts';
import { answerDetails, answerList } from './lists/show.ts';
import { handleRules, handleSubscribe, handleUnsubscribe } from './rules/rule-commands.ts';
import { handleDashboard } from './sign-in/dashboard-command.ts';
import { openSignals } from './signals/signals.ts';
import { handleSnooze } from './snooze/snooze-buttons.ts';
import { handleStats } from './stats/stats-command.ts';
import { handleAssign } from './steer/assign-command.ts';
import { handleChange } from './steer/steer-command.ts';
import { healthMessage } from './views/health.ts';
import { helpMessage } from './views/help.ts';
import { nothingOpen, whichIncident } from './views/which-incident.ts';

/** Slack replaces a message by the `response_url` of a click in it, not by that of a command: the list has Refresh. */
function lists(word: 'open' | 'mine' | 'closed'): CommandHandler {
  return answers((deps, { filter, asker: { slackUserId, channelId } }, answer) =>
    answerList(deps, { word, filter, slackUserId, shownIn: { viewId: null, responseUrl: null, channelId } }, 0, answer),
  );
}

export const COMMAND_HANDLERS: Readonly<Record<CommandWord, CommandHandler>> = {
  open: lists('open'),
  closed: lists('closed'),
  mine: lists('mine'),
  show: answers(async (deps, { references }, answer) => {
    const { ids, questions } = await findReferences(deps.store, references, { isUntaken: false, now: deps.now() });
    const [question] = questions;
    const [incidentId] = ids;
    if (question !== undefined) {
      return answer(whichIncident('show', question));
    }
    return incidentId === undefined ? answer(nothingOpen('show')) : answerDetails(deps, incidentId, answer);
  }),
  declare: handleDeclare,
  change: handleChange,
  assign: handleAssign,
  ack: handleActions,
  resolve: handleActions,
  snooze: handleSnooze,
  signals: opensView(async (deps, { references, triggerId, ack, asker: { slackUserId } }, answer) => {
    const { ids, questions } = await findReferences(deps.store, references, { isUntaken: false, now: deps.now() });
    const [question] = questions;
    const [incidentId] = ids;
    if (question !== undefined) {
      return answer(whichIncident('signals', question));
    }
    return incidentId === undefined
      ? answer(nothingOpen('show'))
      : openSignals(deps, { incidentId, triggerId, slackUserId }, answer, ack);
  }),
  subscribe: handleSubscribe,
  unsubscribe: handleUnsubscribe,
  rules: handleRules,
  stats: handleStats,
  handover: handleHandover,
  export: handleExport,
  dashboard: handleDashboard,
  health: answers(async (deps, _request, answer) => answer(healthMessage(await deps.health()))),
  help: answers((_deps, { text }, answer) => answer(helpMessage(text))),
};
