import type { AllMiddlewareArgs, RespondFn, SlackShortcut, SlackShortcutMiddlewareArgs } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { SHORTCUTS } from '../domain/ids.ts';
import { NO_FILTER } from '../domain/incident-filter.ts';
import { classifySlackFailure } from '../slack/errors.ts';
import { notOpened } from '../views/answers.ts';
import { noteModal, OFFERED_INCIDENTS, plainMessage } from '../note/note-modal.ts';
import { readingModal } from '../views/reading-modal.ts';
import { type Answer, type Asker, answeringMembers, answeringResponders } from './answering.ts';
import type { ListenerDeps } from './deps.ts';
import { showIn } from '../lists/lists.ts';
import { answerList } from '../lists/show.ts';

export type ShortcutArgs = SlackShortcutMiddlewareArgs<SlackShortcut> & AllMiddlewareArgs;

/** "Open incidents": the list, in a modal because a global shortcut has no channel. */
export function createOpenIncidentsListener(deps: ListenerDeps) {
  return async (args: ShortcutArgs): Promise<void> => {
    const asker = askerOf(args);
    await answeringMembers(deps, asker, respondOf(args), async (answer) => {
      const viewId = await openModal(deps, args, readingModal('Incidents', '⏳ Loading…'), answer);
      if (viewId !== null) {
        const list = { word: 'open' as const, filter: NO_FILTER, slackUserId: asker.slackUserId };
        await answerList(deps, list, 0, showIn(deps, viewId));
      }
    });
    await args.ack();
  };
}

/** "Add to incident as note": a form with the text of the message. */
export function createAddNoteListener(deps: ListenerDeps) {
  return async (args: ShortcutArgs): Promise<void> => {
    const { shortcut } = args;
    const asker = askerOf(args);
    await answeringResponders(deps, asker, respondOf(args), async (answer) => {
      const incidents = await deps.store.incidents.newestOpen(OFFERED_INCIDENTS);
      const draft = shortcut.type === 'message_action' ? plainMessage(shortcut.message.text ?? '') : '';
      await openModal(deps, args, noteModal({ channelId: asker.channelId }, incidents, draft), answer);
    });
    await args.ack();
  };
}

/** Acknowledges once the modal is open. @returns null: it did not open, and the person was told */
async function openModal(
  deps: ListenerDeps,
  { ack, shortcut }: ShortcutArgs,
  modal: ModalView,
  answer: Answer,
): Promise<string | null> {
  try {
    const { view } = await deps.api.views.open({ trigger_id: shortcut.trigger_id, view: modal });
    await ack();
    return view?.id ?? null;
  } catch (error) {
    const failure = classifySlackFailure(error);
    deps.logger.warn({ shortcut: shortcut.callback_id, reason: failure.error }, 'a modal did not open');
    await answer(notOpened('form', failure));
    return null;
  }
}

function askerOf({ shortcut }: ShortcutArgs): Asker {
  const channelId = shortcut.type === 'message_action' ? shortcut.channel.id : null;
  return { slackUserId: shortcut.user.id, channelId, what: shortcut.callback_id };
}

/** A global shortcut has no address for responses, so the person gets a direct message. */
function respondOf(args: ShortcutArgs): RespondFn {
  const { respond }: { respond?: RespondFn } = args;
  return respond ?? (() => Promise.reject(new Error('this request has no response_url')));
}

export function createShortcutListeners(deps: ListenerDeps) {
  return {
    [SHORTCUTS.openIncidents]: createOpenIncidentsListener(deps),
    [SHORTCUTS.addNote]: createAddNoteListener(deps),
  };
}
