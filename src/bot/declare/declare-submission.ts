import type { AllMiddlewareArgs, SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import { withTimeout } from '../../runtime/timeout.ts';
import { DECLARE_FIELDS, VIEWS } from '../domain/ids.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { sendAndTell } from '../listeners/send-and-tell.ts';
import type { Kept } from '../store/actions.ts';
import { parseDeclareContext, parseDeclareForm } from './declare-modal.ts';

/** Slack waits three seconds. After this timeout the modal stays open with what was typed in it. */
const KEEP_TIMEOUT_MS = 2_000;

/** Handles the submitted form "Declare an incident". It is stored before the modal closes, so it is never lost. */
export function createDeclareSubmission(deps: ListenerDeps) {
  return async ({ ack, body, view }: SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs): Promise<void> => {
    const refuse = (fault: string, field: string = DECLARE_FIELDS.title) =>
      ack({ response_action: 'errors', errors: { [field]: fault } });
    const context = parseDeclareContext(view.private_metadata);
    const form = parseDeclareForm(view.state.values);
    if (context === null || form === null) {
      return refuse('This form is out of date. Copy your text and open the form again.');
    }
    if (form.title === '') {
      return refuse('Please say what fails.');
    }
    if (form.service === '') {
      return refuse('Please choose the service, or type its name.', DECLARE_FIELDS.service);
    }
    let kept: Kept;
    try {
      const person = { slackUserId: body.user.id, channelId: context.channelId };
      const request = {
        ...person,
        ...form,
        source: view.id,
        kind: 'declare',
        incidentId: null,
        origin: VIEWS.declare,
      } as const;
      kept = await withTimeout(KEEP_TIMEOUT_MS, () => deps.actions.keep(request));
    } catch (err) {
      deps.logger.error({ err }, 'a declaration could not be stored');
      return refuse("This can't be saved right now. Your text is still here: please press Declare again in a moment.");
    }
    await ack();
    await (kept.kind === 'new' ? sendAndTell(deps, kept.action) : undefined);
  };
}
