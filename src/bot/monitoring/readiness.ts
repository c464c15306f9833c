import type { ReadinessCheck } from '../../contract/health.ts';
import type { ActionStore } from '../actions/action-store.ts';
import type { BotReceiver } from '../slack/receiver.ts';
import { PROBLEM_NAMES, type Problems } from './problems.ts';

/**
 * The bot's checks for `/readyz`. It is ready while what people click reaches it and can be stored. Other problems are
 * only reported: taking the process out of service would not solve them, and would refuse clicks that can be kept.
 */
export async function readinessChecks(deps: {
  /** @throws if the database cannot be reached or written to */
  checkDatabase: () => Promise<void>;
  receiver: Pick<BotReceiver, 'isConnected'>;
  findProblems: () => Promise<Problems>;
  store: { readonly actions: ActionStore };
  hasChannel: boolean;
}): Promise<ReadinessCheck[]> {
  try {
    await deps.checkDatabase();
    const [problems, waiting] = await Promise.all([deps.findProblems(), deps.store.actions.countWaiting()]);
    return [
      check('database', true),
      check('receiver', deps.receiver.isConnected()),
      ...PROBLEM_NAMES.map((name) => check(name, true, problems[name].join(' '))),
      ...(deps.hasChannel ? [] : [check('cards', true, NO_CHANNEL)]),
      check('pending actions', true, waiting === 0 ? '' : waitingWords(waiting)),
    ];
  } catch (error) {
    return [check('database', false, error instanceof Error ? error.message : 'the database cannot be reached')];
  }
}

const NO_CHANNEL = 'No channel receives incident cards; commands work. Set INCIDENTS_CHANNEL to an id or #name.';

function waitingWords(waiting: number): string {
  return `${waiting} waiting for the incident service; they will be sent when it accepts them.`;
}

function check(name: string, ready: boolean, detail = ''): ReadinessCheck {
  return detail === '' ? { name, ready } : { name, ready, detail };
}
