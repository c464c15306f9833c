import { NO_FILTER } from '../domain/incident-filter.ts';
import { answeringMembers } from '../listeners/answering.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { openForm } from '../listeners/open-form.ts';
import { askerOf, respondOf, type ShortcutArgs } from '../listeners/shortcuts.ts';
import { readingModal } from '../views/reading-modal.ts';
import { showIn } from './lists.ts';
import { answerList } from './show.ts';

/** "Open incidents": the list, in a modal because a global shortcut has no channel. */
export function createOpenIncidentsListener(deps: ListenerDeps) {
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
