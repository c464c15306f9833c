import type { Pause } from '../domain/throttle.ts';
import type { EventFeed } from '../feed/event-feed.ts';
import type { Feed } from '../feed/feed.ts';
import type { Store } from '../store/store.ts';
import type { Health } from '../views/health.ts';
import type { Counters } from './counters.ts';
import { readMessageProblems } from './problems.ts';

/** Collects the data of `/incidents health`. Counters are of this process, everything else is of all processes. */
export async function readHealth(deps: {
  counters: Counters;
  store: Store;
  feed: Pick<Feed, 'state'>;
  eventFeed: Pick<EventFeed, 'isFollowing'>;
  now: () => Date;
}): Promise<Health> {
  const { store, now } = deps;
  const problems = await readMessageProblems(store); // first, so that the messages that wait because of them are counted
  const [counters, waiting, oldestSince, keptActions, pauses] = await Promise.all([
    deps.counters.read(),
    store.cards.countWaiting(),
    store.cards.oldestWaitingSince(),
    store.actions.countWaiting(),
    store.pauses.list(),
  ]);
  const { isAnswering, answeredAt } = deps.feed.state();
  return {
    counters,
    waiting,
    oldestSince,
    keptActions,
    problems: [problems.token, ...problems.channels.values(), ...problems.outages].filter((each) => each !== null),
    lastLimit: pauses.filter(({ reason }) => reason === 'ratelimited').toSorted(byEnd)[0] ?? null,
    service: { isAnswering, answeredAt, isFollowed: deps.eventFeed.isFollowing() },
    now: now(),
  };
}

function byEnd(one: Pause, other: Pause): number {
  return other.until.getTime() - one.until.getTime();
}
