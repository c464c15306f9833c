import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { measureState } from './gauges.ts';

const NOW = new Date('2026-01-31T08:00:30.000Z');
const WAITING = { person: 1, opened: 2, state: 3, count: 4, withheld: 5 };

describe('what is looked up for a scrape', () => {
  it('is what waits, how old the last answer of the service is, and how many connections there are', async () => {
    const registry = new Registry();
    measureState(registry, {
      waitingCards: async () => WAITING,
      waitingActions: async () => 7,
      answeredAt: () => new Date('2026-01-31T08:00:00.000Z'),
      openSockets: () => 2,
      now: () => NOW,
    });

    const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('tocsin'));

    expect(lines).toEqual([
      ...Object.entries(WAITING).map(([lane, cards]) => `tocsin_bot_cards_waiting{lane="${lane}"} ${cards}`),
      'tocsin_bot_actions_waiting 7',
      'tocsin_bot_service_answer_age_seconds 30',
      'tocsin_bot_socket_connections 2',
    ]);
  });

  it('is not a number where nobody knows, and the rest is told all the same, the service as silent since the start', async () => {
    const registry = new Registry();
    let now = NOW;
    measureState(registry, {
      waitingCards: () => Promise.reject(new Error('the database is away')),
      waitingActions: () => new Promise(() => undefined),
      answeredAt: () => null,
      openSockets: null,
      now: () => now,
    });
    now = new Date(NOW.getTime() + 121_000);

    const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('tocsin'));

    expect(lines).toEqual([
      ...Object.keys(WAITING).map((lane) => `tocsin_bot_cards_waiting{lane="${lane}"} Nan`),
      'tocsin_bot_actions_waiting Nan',
      'tocsin_bot_service_answer_age_seconds 121',
    ]);
  });
});
