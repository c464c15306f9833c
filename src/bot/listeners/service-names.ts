import type { AllMiddlewareArgs, SlackOptionsMiddlewareArgs } from '@slack/bolt';
import type { PlainTextOption } from '@slack/types';
import { withTimeout } from '../../runtime/timeout.ts';
import type { ListenerDeps } from './deps.ts';

/** Slack waits three seconds. Later only the typed text is offered. */
const LOOK_UP_MS = 1_500;

/**
 * The options of a field for services, while somebody types.
 *
 * @param most names to look up
 * @param optionsOf makes the options of what was typed and the known names that contain it
 */
export function createServiceNamesListener(
  { store, logger }: Pick<ListenerDeps, 'store' | 'logger'>,
  most: number,
  optionsOf: (typed: string, known: readonly string[]) => PlainTextOption[],
) {
  return async ({ ack, options }: SlackOptionsMiddlewareArgs<'block_suggestion'> & AllMiddlewareArgs) => {
    const known = await withTimeout(LOOK_UP_MS, () => store.serviceNames.matching(options.value.trim(), most)).catch(
      (err: unknown) => {
        logger.warn({ err }, 'the known services could not be read');
        return [];
      },
    );
    await ack({ options: optionsOf(options.value, known) });
  };
}
