import { answeringResponders } from '../../listeners/answering.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { openForm } from '../../listeners/open-form.ts';
import { askerOf, respondOf, type ShortcutArgs } from '../../listeners/shortcuts.ts';
import { messageContent } from '../note/message-content.ts';
import { declareModal, EMPTY_DRAFT } from './declare-modal.ts';

/** "Declare an incident": the form, with the text of the message as what is known. */
export function createDeclareShortcutListener(deps: ListenerDeps) {
  return async (args: ShortcutArgs): Promise<void> => {
    const { shortcut } = args;
    const asker = askerOf(args);
    await answeringResponders(deps, asker, respondOf(args), async (answer) => {
      const note = shortcut.type === 'message_action' ? messageContent(shortcut.message) : '';
      const [title = ''] = note.split('\n');
      const modal = declareModal({ channelId: asker.channelId }, { ...EMPTY_DRAFT, title, note });
      await openForm(deps, { triggerId: shortcut.trigger_id, modal }, answer, args.ack);
    });
    await args.ack();
  };
}
