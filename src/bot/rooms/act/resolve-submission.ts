import type { AllMiddlewareArgs, SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import { withTimeout } from '../../../runtime/timeout.ts';
import type { Kept } from '../../actions/action-store.ts';
import { sendAndNotify } from '../../listeners/answering.ts';
import { ARRIVED_BEFORE } from '../../listeners/answers.ts';
import { KEEP_TIMEOUT_MS } from '../../listeners/keep-timeout.ts';
import { replaceList } from '../lists/lists.ts';
import type { ListsDeps } from '../lists/show.ts';
import { ACT_FORMS, RESOLVE_INPUT } from './ids.ts';
import { draftForm } from './resolve-form.ts';
import { isOneWord, parseNoteField, parseResolveContext, type ResolveForm, resolveModal } from './resolve-modal.ts';

/**
 * Handles the submitted resolve form. A one-word note must be confirmed once. The note is stored before the modal
 * closes; if that fails, the modal stays open with the note in it. So the note is never lost.
 */
export function createResolveSubmission(deps: ListsDeps) {
  return async ({ ack, body, view }: SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs): Promise<void> => {
    const context = parseResolveContext(view.private_metadata);
    const field = parseNoteField(view.state.values);
    const refuse = (fault: string) =>
      ack({ response_action: 'errors', errors: { [field?.blockId ?? RESOLVE_INPUT.blockId]: fault } });
    if (context === null || field === null) {
      return refuse('This form is out of date. Copy your note and open the form again.');
    }
    if (field.text.trim() === '') {
      return refuse('Please describe what fixed it.');
    }
    const { incidentId, channelId } = context;
    const person = { slackUserId: body.user.id, channelId };
    const note = field.text;
    let kept: Kept;
    try {
      if (isOneWord(note) && !context.isAsked) {
        const asked = { ...context, isAsked: true };
        const form: ResolveForm = await withTimeout(KEEP_TIMEOUT_MS, () => draftForm(deps, asked, field));
        return await ack({ response_action: 'update', view: resolveModal(form) });
      }
      const request = {
        ...person,
        source: view.id,
        kind: 'resolve',
        incidentId,
        note,
        asksFirst: false,
        isNoProblem: field.isNoProblem,
        origin: ACT_FORMS.resolve,
      } as const;
      kept = await withTimeout(KEEP_TIMEOUT_MS, () => deps.actions.keep(request));
    } catch (err) {
      deps.logger.error({ err, incidentId }, 'a note could not be stored');
      return refuse("Your note can't be saved right now. It's still here: please press Resolve again in a moment.");
    }
    if (kept.kind === 'repeated' && kept.note !== note) {
      return refuse(ARRIVED_BEFORE);
    }
    await ack();
    if (kept.kind === 'new') {
      await sendAndNotify(deps, kept.action);
      await (context.list && replaceList(deps, context.list, body.user.id));
    }
  };
}
