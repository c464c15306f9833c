import type { Store } from '../../store/store.ts';
import { toStorm } from '../../store/storms.ts';
import { stormCard } from '../../views/storm-card.ts';
import type { MessageKind } from '../kind.ts';

/** Minimum time between two edits, because the counts of a storm change constantly. */
export const EDIT_EVERY_MS = 3_000;

/** One message in place of the cards of many incidents. */
export function createStormKind({ store }: { store: Pick<Store, 'storms' | 'installation'> }): MessageKind {
  return {
    lifecycle: 'kept true',
    shortestRetryMs: 1_000,

    async render({ id, channelId, data }) {
      const [summary, staleSince] = await Promise.all([
        store.storms.summary(toStorm(id, channelId, data)),
        store.installation.staleSince(),
      ]);
      return { content: stormCard(summary, staleSince), restMs: EDIT_EVERY_MS };
    },
  };
}
