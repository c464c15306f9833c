import { answer as sentence } from '../../blocks/answer.ts';
import { outdatedControl } from '../../listeners/answers.ts';
import { onClick } from '../../listeners/buttons.ts';
import { slackErrorCode } from '../../slack/errors.ts';
import type { ActDeps } from './resolve-form.ts';
import { draftForm } from './resolve-form.ts';
import { parseNoteField, parseResolveContext, resolveModal } from './resolve-modal.ts';

/** "Use this note" in the resolve form: appends an earlier note to what was already typed. */
export function createUseNoteListener(deps: ActDeps) {
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
      deps.logger.warn({ reason: slackErrorCode(error) }, 'an earlier note could not be added to the form');
      await answer(sentence('Slack did not add the note to the form. Please try again.'));
    }
  });
}
