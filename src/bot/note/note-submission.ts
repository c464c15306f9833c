import type { AllMiddlewareArgs, SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import { withTimeout } from '../../runtime/timeout.ts';
import { NOTE_INPUT, VIEWS } from '../domain/ids.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { sendAndTell } from '../listeners/send-and-tell.ts';
import type { Kept } from '../store/actions.ts';
import { arrivedBefore } from '../views/answers.ts';
import { parseNoteContext, parseNoteForm } from './note-modal.ts';

/** Slack waits three seconds. After this timeout the modal stays open with the note in it. */
const KEEP_TIMEOUT_MS = 2_000;

/** Handles the submitted form "Add to incident". The note is stored before the modal closes, so it is never lost. */
export function createNoteSubmission(deps: ListenerDeps) {
  return async ({ ack, body, view }: SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs): Promise<void> => {
    const refuse = (fault: string) => ack({ response_action: 'errors', errors: { [NOTE_INPUT.noteBlock]: fault } });
    const context = parseNoteContext(view.private_metadata);
    const form = parseNoteForm(view.state.values);
    if (context === null || form === null) {
      return refuse('This form is out of date. Copy your note and open the form again.');
    }
    const { incidentId, note } = form;
    if (note.trim() === '') {
      return refuse('Please write a note.');
    }
    const person = { slackUserId: body.user.id, channelId: context.channelId };
    let kept: Kept;
    try {
      const request = { ...person, source: view.id, kind: 'note', incidentId, note, origin: VIEWS.note } as const;
      kept = await withTimeout(KEEP_TIMEOUT_MS, () => deps.actions.keep(request));
    } catch (err) {
      deps.logger.error({ err, incidentId }, 'a note could not be stored');
      return refuse("Your note can't be saved right now. It's still here: please press Add note again in a moment.");
    }
    await ack();
    if (kept.kind === 'new') {
      return sendAndTell(deps, kept.action);
    }
    if (kept.note !== note) {
      await deps.people.tell(person, arrivedBefore(note));
    }
  };
}
