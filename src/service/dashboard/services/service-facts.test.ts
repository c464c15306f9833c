import { expect, it } from 'vitest';
import { listServiceFacts, rateWords } from './service-facts.ts';

const NOW = new Date('2026-11-22T10:00:00Z');
const seenAt = NOW.getTime();

it('lists services in trouble first, with who calls them and whom they call', () => {
  const calls = [
    { caller: 'web', callee: 'cart', calls: 100, failed: 0, seenAt },
    { caller: 'cart', callee: 'payments', calls: 100, failed: 72, seenAt },
    { caller: 'web', callee: 'forgotten', calls: 100, failed: 9, seenAt: seenAt - 25 * 3_600_000 },
  ];
  const changes = [
    { service: 'cart', at: seenAt - 120_000, subject: '1.4.1' },
    { service: 'cart', at: seenAt - 60_000, subject: '1.4.2' },
  ];

  const services = listServiceFacts({ calls, changes }, new Map([['search', { open: 1, failing: 0 }]]), NOW);

  expect(services.map(({ name }) => name)).toEqual(['search', 'payments', 'cart', 'web']);
  expect(services[1]?.callers.map(({ name }) => name)).toEqual(['cart']);
  expect(services[3]?.callees.map(({ name }) => name)).toEqual(['cart']);
  expect(services[1]?.changes).toEqual([]);
  expect(services[2]?.changes).toEqual([
    { at: new Date(seenAt - 60_000), version: '1.4.2' },
    { at: new Date(seenAt - 120_000), version: '1.4.1' },
  ]);
});

it('calls failures between two services trouble only while both have incidents that still fail', () => {
  const calls = [
    { caller: 'web', callee: 'cart', calls: 100, failed: 72, seenAt },
    { caller: 'cart', callee: 'payments', calls: 100, failed: 72, seenAt },
  ];
  const open = new Map([
    ['cart', { open: 1, failing: 1 }],
    ['payments', { open: 2, failing: 1 }],
    ['web', { open: 1, failing: 0 }],
  ]);

  const cart = listServiceFacts({ calls, changes: [] }, open, NOW).find(({ name }) => name === 'cart');

  expect(cart?.callers.map(({ name, isInTrouble }) => [name, isInTrouble])).toEqual([['web', false]]);
  expect(cart?.callees.map(({ name, isInTrouble }) => [name, isInTrouble])).toEqual([['payments', true]]);
});

it.each([
  [0, ''],
  [0.05, ''],
  [0.3, 'less than 1 failed call a minute lately'],
  [1, 'about 1 failed call a minute lately'],
  [1_234.4, 'about 1,234 failed calls a minute lately'],
])('says %d as "%s"', (perMinute, words) => {
  expect(rateWords(perMinute)).toBe(words);
});
