import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { NOW, open, withStore } from '../../../test/support/bot-store.ts';
import { createCounters } from './counters.ts';
import { readHealth } from './health.ts';

it('counts the message whose refusal it reports, however late both came', async () => {
  await withStore(async ({ store }) => {
    const { pauses } = store;
    async function list() {
      await open(store, '1');
      await pauses.failed({ call: null, placeId: null }, 'token_revoked', () => 30_000);
      return pauses.list();
    }

    const health = await readHealth({
      counters: createCounters(new Registry()),
      store: { ...store, pauses: { ...pauses, list } },
      feed: { state: () => ({ isAnswering: true, answeredAt: NOW, problem: null }) },
      eventFeed: { isFollowing: () => true },
      now: () => NOW,
    });

    expect(health.problems).toEqual([expect.stringContaining('token_revoked')]);
    expect(health.waiting.opened).toBe(1);
  });
});
