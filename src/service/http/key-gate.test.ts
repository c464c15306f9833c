import { expect, it } from 'vitest';
import type { ApiKey } from '../core/api-key.ts';
import { createKeyGate } from './key-gate.ts';
import { RequestError } from './problem.ts';

const KEY: ApiKey = {
  id: 'key_1',
  name: 'sender',
  scope: 'ingest',
  integrationId: null,
  hint: 'tcn_in_…',
  createdAt: new Date(0),
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
};

function start() {
  const working = new Set<string>(['good']);
  let lookups = 0;
  let at = new Date('2026-01-31T08:00:00Z');
  const store = {
    async authenticate(rawKey: string) {
      lookups += 1;
      return working.has(rawKey) ? KEY : null;
    },
  };
  const gate = createKeyGate(store, () => at);
  return {
    working,
    lookups: () => lookups,
    advance: (ms: number) => {
      at = new Date(at.getTime() + ms);
    },
    isTaken: async (rawKey: string, address?: string) => (await gate(address).authenticate(rawKey, at)) !== null,
  };
}

it('looks a refused key up once in ten seconds, and a working one each time', async () => {
  const { isTaken, lookups, advance, working } = start();

  const refused = [await isTaken('bad'), await isTaken('bad'), await isTaken('bad', '192.0.2.1')];
  const looked = lookups();
  working.add('bad');
  advance(10_000);
  const later = [await isTaken('bad'), await isTaken('bad')];

  expect(refused).toEqual([false, false, false]);
  expect(looked).toBe(1);
  expect(later).toEqual([true, true]);
  expect(lookups()).toBe(3);
});

it('refuses a key at once that has worked and does not any more', async () => {
  const { isTaken, working } = start();

  const before = await isTaken('good');
  working.clear();

  expect([before, await isTaken('good')]).toEqual([true, false]);
});

it('looks up at most 60 unknown keys a minute of one network, and still those that have worked', async () => {
  const { isTaken, lookups, advance } = start();
  await isTaken('good', '2001:db8::1');
  for (let count = 0; count < 60; count += 1) {
    await isTaken(`guess ${count}`, `2001:db8::${count.toString(16)}`);
  }

  const tooMany = isTaken('one more', '2001:db8::ffff');
  await expect(tooMany).rejects.toThrow(RequestError);
  const standing = await isTaken('good', '2001:db8::1');
  const elsewhere = await isTaken('one more', '198.51.100.7');
  advance(60_000);
  const again = await isTaken('another', '2001:db8::ffff');

  expect([standing, elsewhere, again]).toEqual([true, false, false]);
  expect(lookups()).toBe(1 + 60 + 3);
});
