import type { AllMiddlewareArgs, SlackOptionsMiddlewareArgs } from '@slack/bolt';
import { withTimeout } from '../../runtime/timeout.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { MOST_SERVICE_OPTIONS, serviceOptions } from './service-options.ts';

/** Slack waits three seconds. Later only the typed text is offered. */
const LOOK_UP_MS = 1_500;

/** The options of the field of services, while somebody types. */
export function createServiceOptionsListener({ store, logger }: Pick<ListenerDeps, 'store' | 'logger'>) {
  return async ({ ack, options }: SlackOptionsMiddlewareArgs<'block_suggestion'> & AllMiddlewareArgs) => {
    const known = await withTimeout(LOOK_UP_MS, () =>
      store.serviceNames.matching(options.value.trim(), MOST_SERVICE_OPTIONS),
    ).catch((err: unknown) => {
      logger.warn({ err }, 'the known services could not be read');
      return [];
    });
    await ack({ options: serviceOptions(options.value, known) });
  };
}
