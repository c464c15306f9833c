import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { NOW, open, withStore } from '../../../test/support/bot-store.ts';
import { createCounters } from './counters.ts';
import { readHealth } from './health.ts';
import { createFindProblems } from './problems.ts';

it('counts the message whose refusal it reports, however late both came', async () => {
  await withStore(async ({ store }) => {
    const { pauses } = store;
    async function list() {
      await open(store, '1');
      await pauses.failed({ call: null, placeId: null }, 'token_revoked', () => 30_000);
      return pauses.list();
    }

    const feed = { state: () => ({ isAnswering: true, answeredAt: NOW, problem: null }) };
    const health = await readHealth({
      counters: createCounters(new Registry()),
      findProblems: createFindProblems({
        setUp: { channelId: () => null, problemOf: () => null },
        registration: { problem: async () => null },
        receiver: { isConnected: () => true },
        feed,
        store: { ...store, pauses: { ...pauses, list } },
        onCall: { problems: async () => [] },
        slackClock: { skewMs: () => null },
      }),
      findPagingProblem: async () => 'somebody should have been woken 61 s ago',
      listIntegrations: async () => [
        { id: 'int_1', status: 'active', name: 'shop', last_unkept: 'no ids', last_unkept_at: NOW.toISOString() },
        { id: 'int_2', status: 'active', last_unkept: 'old', last_unkept_at: '2020-01-01T00:00:00Z' },
        { id: 'int_3', status: 'active' },
      ],
      store,
      feed,
      eventFeed: { isFollowing: () => true },
      now: () => NOW,
    });

    expect(health.problems).toEqual([
      expect.stringContaining('token_revoked'),
      'Waking people: somebody should have been woken 61 s ago.',
    ]);
    expect(health.waiting.opened).toBe(1);
    expect(health.senders).toEqual([{ name: 'shop', reason: 'no ids', at: NOW.toISOString() }]);
  });
});
