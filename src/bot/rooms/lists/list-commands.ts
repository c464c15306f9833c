import { answers, type CommandHandler } from '../../listeners/command-handler.ts';
import { findReferences } from '../../listeners/references.ts';
import { nothingOpen, whichIncident } from '../../listeners/which-incident.ts';
import { answerDetails, answerList, type ListsDeps } from './show.ts';

/** Slack replaces a message by the `response_url` of a click in it, not by that of a command: the list has Refresh. */
export function listOf(word: 'open' | 'mine' | 'closed'): CommandHandler<ListsDeps> {
  return answers((deps, { filter, asker: { slackUserId, channelId } }, answer) =>
    answerList(deps, { word, filter, slackUserId, shownIn: { viewId: null, responseUrl: null, channelId } }, 0, answer),
  );
}

export const handleShow: CommandHandler<ListsDeps> = answers(async (deps, { references }, answer) => {
  const { ids, questions } = await findReferences(deps.store, references, { isUntaken: false, now: deps.now() });
  const [question] = questions;
  const [incidentId] = ids;
  if (question !== undefined) {
    return answer(whichIncident('show', question));
  }
  return incidentId === undefined ? answer(nothingOpen('show')) : answerDetails(deps, incidentId, answer);
});
