import { NO_FILTER } from '../domain/incident-filter.ts';
import { answeringMembers } from '../listeners/answering.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { askerOf, openModal, respondOf, type ShortcutArgs } from '../listeners/shortcuts.ts';
import { readingModal } from '../views/reading-modal.ts';
import { showIn } from './lists.ts';
import { answerList } from './show.ts';

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
