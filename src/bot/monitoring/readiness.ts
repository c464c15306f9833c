import type { ReadinessCheck } from '../../contract/health.ts';
import type { Feed } from '../feed/feed.ts';
import type { BotReceiver } from '../slack/receiver.ts';
import { describeSkew, type SlackClock } from '../slack/slack-clock.ts';
import type { Registration } from '../start/registration.ts';
import type { SetUp } from '../start/set-up.ts';
import type { Store } from '../store/store.ts';
import { type MessageProblems, readMessageProblems } from './problems.ts';

const NO_PROBLEMS: MessageProblems = { token: null, channels: new Map(), outages: [] };

/** The bot's checks for `/readyz`. A failed check says what is wrong and what to do. */
export async function readinessChecks(deps: {
  setUp: SetUp;
  registration: Registration;
  receiver: BotReceiver;
  feed: Feed;
  store: Store;
  slackClock: SlackClock;
  hasChannel: boolean;
}): Promise<ReadinessCheck[]> {
  const problems = await readMessageProblems(deps.store).catch(() => NO_PROBLEMS);
  return [
    slackCheck(deps.setUp, deps.receiver, problems),
    channelCheck(deps.setUp, problems, deps.hasChannel),
    check('clock', true, describeSkew(deps.slackClock.skewMs())), // only a warning
    serviceCheck(deps.feed),
    // Only a warning: the bot works without it.
    check('integration', true, deps.registration.problem()),
    await keptActionsCheck(deps.store),
  ];
}

async function keptActionsCheck(store: Store): Promise<ReadinessCheck> {
  const name = 'pending actions';
  try {
    const waiting = await store.actions.countWaiting();
    const detail = `${waiting} waiting for the incident service; they will be sent when it accepts them.`;
    return check(name, true, waiting === 0 ? null : detail);
  } catch {
    return check(name, false, 'The database is not responding, so actions cannot be saved.');
  }
}

function slackCheck(setUp: SetUp, receiver: BotReceiver, { token }: MessageProblems): ReadinessCheck {
  if (setUp.identity() === null) {
    return check('slack', false, setUp.problemOf('slack') ?? 'Not signed in to Slack yet.');
  }
  if (token !== null) {
    return check('slack', false, token);
  }
  return receiver.isConnected()
    ? check('slack', true, null)
    : check('slack', false, 'No Socket Mode connection; retrying.');
}

function channelCheck(setUp: SetUp, { channels }: MessageProblems, hasChannel: boolean): ReadinessCheck {
  if (!hasChannel) {
    return check(
      'channel',
      true,
      'No channel receives incident cards; commands work. Set INCIDENTS_CHANNEL to an id or #name.',
    );
  }
  const channelId = setUp.channelId();
  if (channelId === null) {
    return check('channel', false, setUp.problemOf('channel') ?? 'INCIDENTS_CHANNEL has not been looked up yet.');
  }
  const problem = channels.get(channelId) ?? null;
  return check('channel', problem === null, problem);
}

function serviceCheck(feed: Feed): ReadinessCheck {
  const { isAnswering, problem } = feed.state();
  return check('incident service', isAnswering === true, isAnswering === null ? 'Not contacted yet.' : problem);
}

function check(name: string, ready: boolean, detail: string | null): ReadinessCheck {
  return detail === null ? { name, ready } : { name, ready, detail };
}
