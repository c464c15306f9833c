import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import type { ReadDeps } from './read-command.ts';
import { toolMessageOf } from './tool-message.ts';

/** Keeps what an app said, before Slack's event is acknowledged. Its own bot is never one that is read. */
export function createReadListener({ store, onKept }: Pick<ReadDeps, 'store' | 'onKept'>) {
  return async ({ event, context }: SlackEventMiddlewareArgs<'message'> & AllMiddlewareArgs): Promise<void> => {
    const said = toolMessageOf(event);
    if (said !== null && said.botId !== context.botId && (await store.readings.keep(said))) {
      onKept();
    }
  };
}
