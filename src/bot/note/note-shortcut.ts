import { answeringResponders } from '../listeners/answering.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { openForm } from '../listeners/open-form.ts';
import { askerOf, respondOf, type ShortcutArgs } from '../listeners/shortcuts.ts';
import { plainMessage } from '../views/plain-message.ts';
import { noteModal, OFFERED_INCIDENTS } from './note-modal.ts';

/** "Add to incident as note": a form with the text of the message. */
export function createAddNoteListener(deps: ListenerDeps) {
  return async (args: ShortcutArgs): Promise<void> => {
    const { shortcut } = args;
    const asker = askerOf(args);
    await answeringResponders(deps, asker, respondOf(args), async (answer) => {
      const incidents = await deps.store.incidents.newestOpen(OFFERED_INCIDENTS);
      const draft = shortcut.type === 'message_action' ? plainMessage(shortcut.message.text ?? '') : '';
      const modal = noteModal({ channelId: asker.channelId }, incidents, draft);
      await openForm(deps, { triggerId: shortcut.trigger_id, modal }, answer, args.ack);
    });
    await args.ack();
  };
}
