import type { EventFeed } from '../feed/event-feed.ts';
import type { Feed } from '../feed/feed.ts';
import type { Store } from '../store/store.ts';
import type { Health } from '../views/health.ts';
import type { Figures } from './counters.ts';

/** What can be seen of the board from outside, of all processes where the database knows, of this one elsewhere. */
export async function readHealth(deps: {
  figures: Figures;
  store: Store;
  feed: Feed;
  eventFeed: EventFeed;
  now: () => Date;
}): Promise<Health> {
  const { store, now } = deps;
  const [figures, { withheld, ...waiting }, keptActions, lastLimit] = await Promise.all([
    deps.figures.read(),
    store.cards.countWaiting(),
    store.pendingActions.countWaiting(),
    store.limits.last(),
  ]);
  const { isAnswering, answeredAt } = deps.feed.state();
  return {
    figures,
    waiting,
    withheld,
    keptActions,
    lastLimit,
    service: { isAnswering, answeredAt, isFollowed: deps.eventFeed.isFollowing() },
    now: now(),
  };
}
