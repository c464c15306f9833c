import type { AllMiddlewareArgs, SlackOptionsMiddlewareArgs } from '@slack/bolt';
import { withTimeout } from '../../runtime/timeout.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { declareServiceOption, MOST_DECLARE_SERVICES } from './declare-modal.ts';

/** Slack waits three seconds. Later only the typed text is offered. */
const LOOK_UP_MS = 1_500;

/** The services that are offered while somebody types: those that are known, then what was typed. */
export function createDeclareServiceListener({ store, logger }: Pick<ListenerDeps, 'store' | 'logger'>) {
  return async ({ ack, options }: SlackOptionsMiddlewareArgs<'block_suggestion'> & AllMiddlewareArgs) => {
    const typed = options.value.replace(/\s+/g, ' ').trim();
    const known = await withTimeout(LOOK_UP_MS, () => store.serviceNames.matching(typed, MOST_DECLARE_SERVICES)).catch(
      (err: unknown) => {
        logger.warn({ err }, 'the known services could not be read');
        return [];
      },
    );
    const offered = new Map(
      [...known, typed].filter((name) => name.trim() !== '').map((name) => [name.toLowerCase(), name]),
    );
    const choices = [...offered.values()].map(declareServiceOption);
    await ack({ options: [...new Map(choices.map((each) => [each.value, each])).values()] });
  };
}
