import { slackErrorCode } from '../../slack/errors.ts';
import { outdatedControl, answer as sentence } from '../../views/answers.ts';
import { parseNoteField, parseResolveContext, resolveModal } from '../../views/resolve-modal.ts';
import type { ListenerDeps } from '../deps.ts';
import { draftForm } from '../resolve-form.ts';
import { onClick } from './buttons.ts';

/** "Use this note" in the note modal: puts a former note into the field, after what was typed already. */
export function createUseNoteListener(deps: ListenerDeps) {
  return onClick(deps, async ({ value, view }, answer) => {
    const context = parseResolveContext(view?.privateMetadata ?? '');
    const field = parseNoteField(view?.stateValues);
    const note = await deps.store.pastFixes.find(value);
    if (view === null || context === null || field === null || note === null) {
      return answer(outdatedControl());
    }
    const text = field.text.trim() === '' ? note : `${field.text}\n${note}`;
    const form = await draftForm(deps, context, { text, edition: field.edition + 1 });
    try {
      await deps.api.views.update({ view_id: view.id, view: resolveModal(form) });
    } catch (error) {
      deps.logger.warn({ reason: slackErrorCode(error) }, 'a former note was not put into the form');
      await answer(sentence('Slack did not take the note into the form. Please try again.'));
    }
  });
}
