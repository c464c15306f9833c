import { LIMITS } from '../../blocks/limits.ts';
import { answeringResponders } from '../../listeners/answering.ts';
import { type ButtonArgs, toClick } from '../../listeners/buttons.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { notFoundBut } from '../../listeners/failed-read.ts';
import { openForm } from '../../listeners/open-form.ts';
import { askerOf, respondOf, type ShortcutArgs } from '../../listeners/shortcuts.ts';
import { messageContent } from './message-content.ts';
import { noteModal } from './note-modal.ts';

/** "Add a note" in the menu of an incident. */
export function createNoteListener(deps: ListenerDeps) {
  return async (args: ButtonArgs): Promise<void> => {
    const click = toClick(args);
    const { value: incidentId, channelId, triggerId } = click;
    await answeringResponders(deps, click, args.respond, async (answer) => {
      const known = await deps.store.incidents.find(incidentId);
      if (known === null) {
        return answer(await notFoundBut(deps, incidentId, 'show'));
      }
      const modal = noteModal({ channelId }, [known.incident], '');
      await openForm(deps, { triggerId, modal }, answer, args.ack);
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
      const incidents = await deps.store.incidents.newestOpen(LIMITS.selectOptions);
      const draft = shortcut.type === 'message_action' ? messageContent(shortcut.message) : '';
      const modal = noteModal({ channelId: asker.channelId }, incidents, draft);
      await openForm(deps, { triggerId: shortcut.trigger_id, modal }, answer, args.ack);
    });
    await args.ack();
  };
}
