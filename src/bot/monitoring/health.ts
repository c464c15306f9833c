import type { Integration } from '../../contract/integrations.ts';
import { hoursToMilliseconds } from '../../runtime/dates.ts';
import { withTimeout } from '../../runtime/timeout.ts';
import type { ActionStore } from '../actions/action-store.ts';
import type { EventFeed } from '../feed/event-feed.ts';
import type { Feed } from '../feed/feed.ts';
import type { PauseStore } from '../messages/pauses.ts';
import type { Pause } from '../messages/throttle.ts';
import type { CardStore } from '../rooms/card/cards.ts';
import type { Counters } from './counters.ts';
import type { Health } from './health-view.ts';
import type { Problems } from './problems.ts';

/** Asking the service takes at most so long; what it does not say then is left out. */
const LOOK_UP_MS = 1_500;
const LATELY_MS = hoursToMilliseconds(1);

/** Collects the data of `/incidents health`. Counters are of this process, everything else is of all processes. */
export async function readHealth(deps: {
  counters: Counters;
  findProblems: () => Promise<Problems>;
  listIntegrations: () => Promise<readonly Integration[]>;
  findPagingProblem: () => Promise<string | null>;
  store: { readonly actions: ActionStore; readonly cards: CardStore; readonly pauses: PauseStore };
  feed: Pick<Feed, 'state'>;
  eventFeed: Pick<EventFeed, 'isFollowing'>;
  now: () => Date;
}): Promise<Health> {
  const { store, now } = deps;
  const problems = await deps.findProblems(); // first, so that the messages that wait because of them are counted
  const [counters, waiting, oldestSince, keptActions, pauses, senders, paging] = await Promise.all([
    deps.counters.read(),
    store.cards.countWaiting(),
    store.cards.oldestWaitingSince(),
    store.actions.countWaiting(),
    store.pauses.list(),
    withTimeout(LOOK_UP_MS, () => listLossy(deps.listIntegrations, now())).catch(() => []),
    withTimeout(LOOK_UP_MS, () => deps.findPagingProblem()).catch(() => null), // another service may wake nobody
  ]);
  const { isAnswering, answeredAt } = deps.feed.state();
  return {
    counters,
    waiting,
    oldestSince,
    keptActions,
    problems: [...Object.values(problems).flat(), ...(paging === null ? [] : [`Waking people: ${paging}.`])],
    senders,
    lastLimit: pauses.filter(({ reason }) => reason === 'ratelimited').toSorted(byEnd)[0] ?? null,
    service: { isAnswering, answeredAt, isFollowed: deps.eventFeed.isFollowing() },
    now: now(),
  };
}

/** Integrations of which something was lately not kept. */
async function listLossy(list: () => Promise<readonly Integration[]>, now: Date): Promise<Health['senders']> {
  const listed = await list();
  return listed.flatMap(({ id, name, type, last_unkept: reason, last_unkept_at: at }) =>
    typeof reason === 'string' && typeof at === 'string' && now.getTime() - Date.parse(at) < LATELY_MS
      ? [{ name: name ?? type ?? id, reason, at }]
      : [],
  );
}

function byEnd(one: Pause, other: Pause): number {
  return other.until.getTime() - one.until.getTime();
}
