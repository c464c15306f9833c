import { withTimeout } from '../../../runtime/timeout.ts';
import type { Kept } from '../../actions/action-store.ts';
import { answering, originOf, sendAndAnswer } from '../../listeners/answering.ts';
import { commandNotSaved } from '../../listeners/answers.ts';
import { type CommandHandler, opensForm } from '../../listeners/command-handler.ts';
import { KEEP_TIMEOUT_MS } from '../../listeners/keep-timeout.ts';
import { openForm } from '../../listeners/open-form.ts';
import { declareModal, EMPTY_DRAFT } from './declare-modal.ts';

const openDeclareForm = opensForm(async (deps, { references, asker, triggerId, ack }, answer) => {
  const modal = declareModal(
    { channelId: asker.channelId },
    { ...EMPTY_DRAFT, service: serviceNameOf(references[0] ?? '') },
  );
  await openForm(deps, { triggerId, modal }, answer, ack);
});

/** Without what people write around it: "payments: cards are refused" and "service:payments cards are refused". */
function serviceNameOf(typed: string): string {
  return typed.replace(/^service:/i, '').replace(/:+$/, '');
}

/** `/incidents declare payments cards are refused`; without a text, the form opens. */
export const handleDeclare: CommandHandler = async (deps, request) => {
  const { references, text, asker, triggerId, ack, respond } = request;
  const service = serviceNameOf(references[0] ?? '');
  if (service === '' || text === null) {
    return openDeclareForm(deps, request);
  }
  const { slackUserId, channelId } = asker;
  const [title = '', ...rest] = text.split('\n');
  const note = rest.join('\n').trim();
  let kept: Kept;
  try {
    const about = { service, title, severity: 'error', note: note === '' ? null : note } as const;
    const asked = { source: triggerId, slackUserId, channelId, origin: originOf(asker) };
    kept = await withTimeout(KEEP_TIMEOUT_MS, () =>
      deps.actions.keep({ ...asked, ...about, kind: 'declare', incidentId: null }),
    );
  } catch (err) {
    deps.logger.error({ err }, 'a declaration could not be stored');
    return ack({ ...commandNotSaved('declaration', text), response_type: 'ephemeral' });
  }
  await ack();
  if (kept.kind === 'new') {
    await answering(deps, asker, respond, (answer) => sendAndAnswer(deps, [kept.action], answer));
  }
};
