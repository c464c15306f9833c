import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { HomeStore } from './homes.ts';

/** What this room needs beside what all listeners share. */
export type HomeDeps = ListenerDeps<{ readonly homes: HomeStore }>;

/** Keeps the Home tab of a person true from the first time that they open it. */
export function createHomeListener({ people, store, onChanged }: Pick<HomeDeps, 'people' | 'store' | 'onChanged'>) {
  return async ({ event }: SlackEventMiddlewareArgs<'app_home_opened'> & AllMiddlewareArgs): Promise<void> => {
    if (event.tab === 'home') {
      const isKnown = people.cached(event.user) !== null;
      await store.homes.opened(event.user, event.view === undefined);
      onChanged();
      if (!isKnown) {
        await people.find(event.user); // stored, because the tab shows what is theirs
        await store.homes.opened(event.user, false);
        onChanged();
      }
    }
  };
}
