import type { AllMiddlewareArgs, SlackOptionsMiddlewareArgs } from '@slack/bolt';
import type { PlainTextOption } from '@slack/types';
import { withTimeout } from '../../runtime/timeout.ts';
import type { ServiceNames } from '../incident/service-names.ts';
import type { ListenerDeps } from './deps.ts';

/** Slack waits three seconds. Later only the typed text is offered. */
const LOOK_UP_MS = 1_500;

/**
 * The options of a field for services or labels, while somebody types.
 *
 * @param known which names to look up
 * @param most names to look up
 * @param optionsOf makes the options of what was typed and the known names that contain it
 */
export function createNamesListener(
  { logger }: Pick<ListenerDeps, 'logger'>,
  known: Pick<ServiceNames, 'matching'>,
  most: number,
  optionsOf: (typed: string, known: readonly string[]) => PlainTextOption[],
) {
  return async ({ ack, options }: SlackOptionsMiddlewareArgs<'block_suggestion'> & AllMiddlewareArgs) => {
    const names = await withTimeout(LOOK_UP_MS, () => known.matching(options.value.trim(), most)).catch(
      (err: unknown) => {
        logger.warn({ err }, 'the known names could not be read');
        return [];
      },
    );
    await ack({ options: optionsOf(options.value, names) });
  };
}
