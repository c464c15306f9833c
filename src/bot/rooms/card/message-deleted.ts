import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { CardStore } from './cards.ts';

/** What this room needs beside what all listeners share. */
export type CardDeps = ListenerDeps<{ readonly cards: Pick<CardStore, 'markDeleted'> }>;

/**
 * Posts the deleted card of an open incident again at once if the app is subscribed to message events. Otherwise the
 * audit finds it.
 */
export function createMessageListener({ store, onChanged }: Pick<CardDeps, 'store' | 'onChanged'>) {
  return async ({ event }: SlackEventMiddlewareArgs<'message'> & AllMiddlewareArgs): Promise<void> => {
    if (event.subtype === 'message_deleted' && (await store.cards.markDeleted(event.channel, event.deleted_ts))) {
      onChanged();
    }
  };
}
