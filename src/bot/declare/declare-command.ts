import { answering, originOf, sendAndAnswer } from '../listeners/answering.ts';
import { type CommandHandler, opensForm } from '../listeners/command-handler.ts';
import { openForm } from '../listeners/open-form.ts';
import { declareModal, EMPTY_DRAFT } from './declare-modal.ts';

const openDeclareForm = opensForm(async (deps, { references, asker, triggerId, ack }, answer) => {
  const modal = declareModal({ channelId: asker.channelId }, { ...EMPTY_DRAFT, service: references[0] ?? '' });
  await openForm(deps, { triggerId, modal }, answer, ack);
});

/** `/incidents declare payments cards are refused`; without a text, the form opens. */
export const handleDeclare: CommandHandler = async (deps, request) => {
  const { references, text, asker, triggerId, ack, respond } = request;
  const [service] = references;
  if (service === undefined || text === null) {
    return openDeclareForm(deps, request);
  }
  const { slackUserId, channelId } = asker;
  const [title = '', ...rest] = text.split('\n');
  const kept = await deps.actions.keep({
    kind: 'declare',
    incidentId: null,
    source: triggerId,
    service,
    title,
    severity: 'error',
    note: rest.join('\n').trim() === '' ? null : rest.join('\n').trim(),
    slackUserId,
    channelId,
    origin: originOf(asker),
  });
  await ack();
  if (kept.kind === 'new') {
    await answering(deps, asker, respond, (answer) => sendAndAnswer(deps, [kept.action], answer));
  }
};
