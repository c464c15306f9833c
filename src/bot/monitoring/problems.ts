import type { Feed } from '../feed/feed.ts';
import type { PauseStore } from '../messages/pauses.ts';
import { toRefusal } from '../messages/refusals.ts';
import type { CardStore } from '../rooms/card/cards.ts';
import { classifySlackError } from '../slack/errors.ts';
import type { BotReceiver } from '../slack/receiver.ts';
import { describeSkew, type SlackClock } from '../slack/slack-clock.ts';
import type { Registration } from '../start/registration.ts';
import type { SetUp } from '../start/set-up.ts';

/** Names of the checks of `/readyz`; values of the label of a metric. */
export const PROBLEM_NAMES = [
  'slack',
  'channel',
  'other places',
  'incident service',
  'integration',
  'user groups',
  'clock',
] as const;
export type ProblemName = (typeof PROBLEM_NAMES)[number];

/** What keeps the bot from its work and what to do, one sentence each. An empty list: nothing. */
export type Problems = Readonly<Record<ProblemName, readonly string[]>>;

/** Finds the problems for `/readyz`, `/metrics` and `/incidents health`. Those of messages are of all processes. */
export function createFindProblems(deps: {
  setUp: Pick<SetUp, 'channelId' | 'problemOf'>;
  registration: Pick<Registration, 'problem'>;
  receiver: Pick<BotReceiver, 'isConnected'>;
  feed: Pick<Feed, 'state'>;
  store: { readonly cards: CardStore; readonly pauses: PauseStore };
  /** User groups that go with schedules. */
  onCall: { problems(): Promise<readonly string[]> };
  slackClock: Pick<SlackClock, 'skewMs'>;
}): () => Promise<Problems> {
  const { setUp, receiver, feed } = deps;

  function connectionProblem(): string | null {
    return setUp.problemOf('slack') ?? (receiver.isConnected() ? null : 'Requests of Slack do not arrive; retrying.');
  }

  function serviceProblem(): string | null {
    const { isAnswering, problem } = feed.state();
    return isAnswering === null ? 'The incident service has not been contacted yet.' : problem;
  }

  return async () => {
    const { token, places, outages } = await readMessageProblems(deps.store);
    const channelId = setUp.channelId();
    const others = [...places].filter(([placeId]) => placeId !== channelId);
    return {
      slack: present(token ?? connectionProblem(), ...outages),
      channel: present(setUp.problemOf('channel'), channelId === null ? null : places.get(channelId)),
      'other places': others.map(([placeId, advice]) => `${placeId}: ${advice}`),
      'incident service': present(serviceProblem()),
      integration: present(await deps.registration.problem()),
      'user groups': await deps.onCall.problems(),
      clock: present(describeSkew(deps.slackClock.skewMs())),
    };
  };
}

function present(...sentences: readonly (string | null | undefined)[]): string[] {
  return sentences.filter((each) => each !== null && each !== undefined);
}

/** Why messages are not being sent, according to the database. */
interface MessageProblems {
  /** Why Slack refuses every call; null: it does not. */
  readonly token: string | null;
  /** By channel or person: why it receives no messages. */
  readonly places: ReadonlyMap<string, string>;
  /** One sentence per API method that fails in all places, except for rate limits and refusals. */
  readonly outages: readonly string[];
}

async function readMessageProblems(store: {
  readonly cards: CardStore;
  readonly pauses: PauseStore;
}): Promise<MessageProblems> {
  const [pauses, refused] = await Promise.all([store.pauses.list(), store.cards.refused()]);
  const failing = pauses.filter(({ failures }) => failures > 0);
  const places = new Map<string, string>();
  for (const { channelId, error } of refused) {
    places.set(channelId, adviceOn(error));
  }
  for (const { placeId, call, reason } of failing) {
    if (placeId !== null && call === null) {
      places.set(placeId, adviceOn(reason));
    }
  }
  const token = failing.find(({ placeId, call }) => placeId === null && call === null);
  return {
    token: token === undefined ? null : adviceOn(token.reason),
    places,
    outages: failing.flatMap(({ call, placeId, reason, since, until }) =>
      call !== null && placeId === null && reason !== 'ratelimited' && until > since
        ? [`Slack returns errors for ${call} (${reason}); messages are stored and will be retried.`]
        : [],
    ),
  };
}

function adviceOn(reason: string): string {
  return toRefusal(classifySlackError(reason))?.advice ?? `Slack refuses messages (${reason}); retrying.`;
}
