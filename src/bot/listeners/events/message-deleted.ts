import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import type { ListenerDeps } from '../deps.ts';

/**
 * A card that somebody deleted is posted again at once, where the app is subscribed to message events. The audit finds
 * it elsewhere.
 */
export function createMessageListener({ store, onChanged }: Pick<ListenerDeps, 'store' | 'onChanged'>) {
  return async ({ event }: SlackEventMiddlewareArgs<'message'> & AllMiddlewareArgs): Promise<void> => {
    if (event.subtype === 'message_deleted' && (await store.cards.markDeleted(event.channel, event.deleted_ts))) {
      onChanged();
    }
  };
}
