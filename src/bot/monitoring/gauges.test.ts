import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { registerGauges } from './gauges.ts';
import { PROBLEM_NAMES, type Problems } from './problems.ts';

const NOW = new Date('2026-01-31T08:00:30.000Z');
const WAITING = { person: 1, opened: 2, state: 3, count: 4, reply: 5, withheld: 6 };
const PROBLEMS: Problems = {
  slack: [],
  channel: ['It is archived.'],
  'other places': ['C1: It is archived.', 'C2: It is archived.'],
  'incident service': [],
  integration: [],
  'user groups': [],
  clock: [],
};

describe('the gauges', () => {
  it('show what waits, the age of the last answer of the service, and the open connections', async () => {
    const registry = new Registry();
    registerGauges(registry, {
      waitingMessages: async () => WAITING,
      waitingSince: async () => new Date(NOW.getTime() - 90_000),
      waitingActions: async () => 7,
      problems: async () => PROBLEMS,
      answeredAt: () => new Date('2026-01-31T08:00:00.000Z'),
      openSockets: () => 2,
      now: () => NOW,
    });

    const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('tocsin'));

    expect(lines).toEqual([
      ...Object.entries(WAITING).map(
        ([urgency, messages]) => `tocsin_bot_messages_waiting{urgency="${urgency}"} ${messages}`,
      ),
      'tocsin_bot_message_age_seconds 90',
      'tocsin_bot_actions_waiting 7',
      ...Object.entries(PROBLEMS).map(([check, { length }]) => `tocsin_bot_problems{check="${check}"} ${length}`),
      'tocsin_bot_service_answer_age_seconds 30',
      'tocsin_bot_socket_connections 2',
    ]);
  });

  it('are NaN if the database does not answer, and measure the silence of the service since the start', async () => {
    const registry = new Registry();
    let now = NOW;
    registerGauges(registry, {
      waitingMessages: () => Promise.reject(new Error('the database is away')),
      waitingSince: () => Promise.reject(new Error('the database is away')),
      waitingActions: () => new Promise(() => undefined),
      problems: () => Promise.reject(new Error('the database is away')),
      answeredAt: () => null,
      openSockets: null,
      now: () => now,
    });
    now = new Date(NOW.getTime() + 121_000);

    const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('tocsin'));

    expect(lines).toEqual([
      ...Object.keys(WAITING).map((urgency) => `tocsin_bot_messages_waiting{urgency="${urgency}"} Nan`),
      'tocsin_bot_message_age_seconds Nan',
      'tocsin_bot_actions_waiting Nan',
      ...PROBLEM_NAMES.map((check) => `tocsin_bot_problems{check="${check}"} Nan`),
      'tocsin_bot_service_answer_age_seconds 121',
    ]);
  });
});
