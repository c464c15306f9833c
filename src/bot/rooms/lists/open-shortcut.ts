import { readingModal } from '../../blocks/reading-modal.ts';
import { NO_FILTER } from '../../incident/incident-filter.ts';
import { answeringMembers } from '../../listeners/answering.ts';
import { openForm } from '../../listeners/open-form.ts';
import { askerOf, respondOf, type ShortcutArgs } from '../../listeners/shortcuts.ts';
import { showIn } from './lists.ts';
import type { ListsDeps } from './show.ts';
import { answerList } from './show.ts';

/** "Open incidents": the list, in a modal because a global shortcut has no channel. */
export function createOpenIncidentsListener(deps: ListsDeps) {
  return async (args: ShortcutArgs): Promise<void> => {
    const asker = askerOf(args);
    await answeringMembers(deps, asker, respondOf(args), async (answer) => {
      const opening = { triggerId: args.shortcut.trigger_id, modal: readingModal('Incidents', '⏳ Loading…') };
      const viewId = await openForm(deps, opening, answer, args.ack);
      if (viewId !== null) {
        const shownIn = { viewId, responseUrl: null, channelId: null };
        const list = { word: 'open' as const, filter: NO_FILTER, slackUserId: asker.slackUserId, shownIn };
        await answerList(deps, list, 0, showIn(deps, viewId));
      }
    });
    await args.ack();
  };
}
