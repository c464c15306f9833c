import { setTimeout as sleep } from 'node:timers/promises';
import type { AllMiddlewareArgs, SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import { RESOLVE_INPUT } from '../../domain/ids.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { PendingAction } from '../../store/actions.ts';
import { arrivedBefore, mayNotAct, noteKept, outcomeAnswer } from '../../views/answers.ts';
import {
  isOneWord,
  parseNoteField,
  parseResolveContext,
  type ResolveForm,
  resolveModal,
} from '../../views/resolve-modal.ts';
import { recordRefusal } from '../answering.ts';
import type { ListenerDeps } from '../deps.ts';
import { draftForm } from '../resolve-form.ts';

/** Slack waits three seconds; beyond this the modal stays open with the note in it. */
const KEEP_TIMEOUT_MS = 2_000;

/**
 * The note modal. A note of one word is asked about once. The note is written down before the modal closes; if even that fails the modal stays open with what
 * was typed, so there is no moment at which the note exists nowhere.
 */
export function createResolveSubmission(deps: ListenerDeps) {
  return async ({ ack, body, view }: SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs): Promise<void> => {
    const context = parseResolveContext(view.private_metadata);
    const field = parseNoteField(view.state.values);
    const refuse = (fault: string) =>
      ack({ response_action: 'errors', errors: { [field?.blockId ?? RESOLVE_INPUT.blockId]: fault } });
    if (context === null || field === null) {
      return refuse('This form is out of date: copy your note and open it again.');
    }
    if (field.text.trim() === '') {
      return refuse('Please say what fixed it.');
    }
    const person = { slackUserId: body.user.id, channelId: context.channelId };
    const standing = await deps.people.standingOf(body.user.id);
    if (standing !== 'member') {
      await recordRefusal(deps, { ...person, what: view.callback_id }, standing);
      return refuse(mayNotAct(standing).text);
    }
    const { incidentId } = context;
    const note = field.text;
    let action: PendingAction | null;
    try {
      if (isOneWord(note) && !context.isAsked) {
        const form: ResolveForm = await withinTime(draftForm(deps, { ...context, isAsked: true }, field));
        return await ack({ response_action: 'update', view: resolveModal(form) });
      }
      const { kept } = deps.delivery.keep({ ...person, kind: 'resolve', incidentId, note, source: view.id });
      action = await withinTime(kept);
    } catch (err) {
      deps.logger.error({ err, incidentId }, 'a note could not be written down');
      return refuse('I cannot keep your note right now. It is still here: please press Resolve again in a moment.');
    }
    await ack();
    if (action !== null) {
      return deliverAndTell(deps, action);
    }
    const before = await deps.store.pendingActions.noteFrom(view.id);
    await deps.people.tell(person, arrivedBefore(note === before ? null : note));
  };
}

async function deliverAndTell(deps: ListenerDeps, action: PendingAction): Promise<void> {
  let outcome: Outcome;
  try {
    outcome = await deps.delivery.deliver(action);
  } catch (error) {
    await deps.people.tell(action, noteKept());
    throw error;
  }
  await deps.people.tell(action, outcomeAnswer(outcome));
  await deps.delivery.told(action);
}

async function withinTime<Result>(work: Promise<Result>): Promise<Result> {
  const timer = new AbortController();
  const tooLate = sleep(KEEP_TIMEOUT_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error('not written in time');
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    timer.abort();
    tooLate.catch(() => undefined);
    work.catch(() => undefined);
  }
}
