import type { ReadinessCheck } from '../../contract/health.ts';
import type { Feed } from '../feed/feed.ts';
import type { Board } from '../messages/board.ts';
import type { BotReceiver } from '../slack/receiver.ts';
import type { Registration } from '../start/registration.ts';
import type { SetUp } from '../start/set-up.ts';
import type { Store } from '../store/store.ts';

/** What the bot says of itself in `/readyz`: each thing that keeps it from its work, and what to do about it. */
export async function readinessChecks(deps: {
  setUp: SetUp;
  registration: Registration;
  receiver: BotReceiver;
  board: Board;
  feed: Feed;
  store: Store;
  hasChannel: boolean;
}): Promise<ReadinessCheck[]> {
  return [
    slackCheck(deps.setUp, deps.receiver, deps.board),
    channelCheck(deps.setUp, deps.board, deps.hasChannel),
    serviceCheck(deps.feed),
    // Told, but nothing that the bot needs for its work.
    check('integration', true, deps.registration.problem()),
    await keptActionsCheck(deps.store),
  ];
}

async function keptActionsCheck(store: Store): Promise<ReadinessCheck> {
  const name = 'kept actions';
  try {
    const waiting = await store.pendingActions.countWaiting();
    const detail = `${waiting} wait for the incident service; they are sent when it takes them.`;
    return check(name, true, waiting === 0 ? null : detail);
  } catch {
    return check(name, false, 'The database does not answer, so nothing that people ask for can be kept.');
  }
}

function slackCheck(setUp: SetUp, receiver: BotReceiver, board: Board): ReadinessCheck {
  if (setUp.identity() === null) {
    return check('slack', false, setUp.problemOf('slack') ?? 'Not signed in to Slack yet.');
  }
  const tokenProblem = board.tokenProblem();
  if (tokenProblem !== null) {
    return check('slack', false, tokenProblem);
  }
  return receiver.isConnected()
    ? check('slack', true, null)
    : check('slack', false, 'No Socket Mode connection right now; it is tried again all the time.');
}

function channelCheck(setUp: SetUp, board: Board, hasChannel: boolean): ReadinessCheck {
  if (!hasChannel) {
    return check(
      'channel',
      true,
      'No channel gets incident cards: set INCIDENTS_CHANNEL to an id or #name. Commands work.',
    );
  }
  const channelId = setUp.channelId();
  if (channelId === null) {
    return check('channel', false, setUp.problemOf('channel') ?? 'INCIDENTS_CHANNEL is not looked up yet.');
  }
  const problem = board.problemOf(channelId);
  return check('channel', problem === null, problem);
}

function serviceCheck(feed: Feed): ReadinessCheck {
  const { isAnswering, problem } = feed.state();
  return check('incident service', isAnswering === true, isAnswering === null ? 'Not asked yet.' : problem);
}

function check(name: string, ready: boolean, detail: string | null): ReadinessCheck {
  return detail === null ? { name, ready } : { name, ready, detail };
}
