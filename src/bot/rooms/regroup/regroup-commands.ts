import type { Action, ActionRequest } from '../../actions/action.ts';
import { answer as sentence } from '../../blocks/answer.ts';
import { COMMANDS } from '../../blocks/ids.ts';
import { reference } from '../../incident/incident-words.ts';
import { type Asker, answering, keepThenSend, originOf, sendAndAnswer } from '../../listeners/answering.ts';
import { type ButtonArgs, toClick } from '../../listeners/buttons.ts';
import { answers, type CommandHandler, type CommandRequest, opensForm } from '../../listeners/command-handler.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { openIncidents } from '../../listeners/failed-read.ts';
import { findReferences } from '../../listeners/references.ts';
import { nothingOpen, whichIncident } from '../../listeners/which-incident.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { openMergeForm } from './merge-form.ts';

const INTO = 'into';
const WHICH_ONE = `Say which incident to split off, like \`${COMMANDS.incidents} split #142\`.`;

/** `merge #143 #144 into #142`: the last one goes on. With one incident, a form asks for the other. */
export const handleMerge: CommandHandler = async (deps, request) => {
  const references = request.references.filter((word) => word.toLowerCase() !== INTO);
  if (references.length < 2) {
    return askWhere(deps, { ...request, references });
  }
  const { ids, questions } = await findReferences(deps.store, references, { isUntaken: false, now: deps.now() });
  const [into = '', ...others] = ids.toReversed();
  if (others.length === 0 && questions.length === 0) {
    return askWhere(deps, { ...request, references: [into] }); // two names of one incident
  }
  const target = (await deps.store.incidents.find(into))?.incident ?? { id: into };
  const merged = questions.length > 0 ? [] : others.toReversed();
  await keepAndSend(
    deps,
    request,
    merged.map((incidentId) => ({ kind: 'merge', incidentId, into, reference: reference(target) })),
    questions.map((question) => whichIncident('merge', question)),
  );
};

const askWhere = opensForm(async (deps, { references, asker, triggerId, ack }, answer) => {
  const { ids, questions } = await findReferences(deps.store, references, { isUntaken: false, now: deps.now() });
  const [question] = questions;
  const [incidentId] = ids;
  if (question !== undefined) {
    return answer(whichIncident('merge', question));
  }
  await (incidentId === undefined
    ? answer(nothingOpen('merge'))
    : openMergeForm(deps, { incidentId, asker, triggerId }, answer, ack));
});

/** `split #143`: also several. */
export const handleSplit: CommandHandler = async (deps, request) => {
  if (request.references.length === 0) {
    return answers((_deps, _request, answer) => answer(sentence(WHICH_ONE)))(deps, request);
  }
  const wanted = { isUntaken: false, now: deps.now() };
  const { ids, questions } = await findReferences(deps.store, request.references, wanted);
  await keepAndSend(
    deps,
    request,
    ids.map((incidentId) => ({ kind: 'split', incidentId })),
    questions.slice(0, 1).map(() => sentence(WHICH_ONE)), // a name means open incidents, which are part of no other
  );
};

/** "Split off" in the menu of a merged incident. */
export function createSplitListener(deps: ListenerDeps) {
  return (args: ButtonArgs): Promise<void> => {
    const click = toClick(args);
    const { value: incidentId, triggerId: source, slackUserId, channelId } = click;
    return keepThenSend(deps, { source, kind: 'split', incidentId, slackUserId, channelId }, click, args);
  };
}

type Regroup<Request> = Request extends unknown
  ? Omit<Request, 'source' | 'slackUserId' | 'channelId' | 'origin'>
  : never;

/** Stores everything before the first is sent. */
async function keepAndSend(
  deps: ListenerDeps,
  { triggerId, asker, ack, respond }: CommandRequest & { readonly asker: Asker },
  wanted: readonly Regroup<ActionRequest<'merge' | 'split'>>[],
  questions: readonly SlackMessage[],
): Promise<void> {
  const { slackUserId, channelId } = asker;
  const asked = { slackUserId, channelId, origin: originOf(asker) };
  const kept = await Promise.all(
    wanted.map((each) => deps.actions.keep({ ...each, ...asked, source: `${triggerId} ${each.incidentId}` })),
  );
  await ack();
  const actions = kept.flatMap((each): Action[] => (each.kind === 'new' ? [each.action] : []));
  if (actions.length === 0 && questions.length === 0) {
    return; // a repeated delivery
  }
  await answering(deps, asker, respond, async (answer) => {
    await sendAndAnswer(deps, actions, answer, () => openIncidents(deps));
    for (const question of questions) {
      await answer(question);
    }
  });
}
