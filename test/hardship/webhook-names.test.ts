import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createNameResolver } from '../../src/service/webhooks/name-resolver.ts';
import { HANG_MS } from '../support/hang.ts';
import { type NameRecord, startNameServer } from '../support/name-server.ts';

const PUBLIC: NameRecord = { address: '93.184.215.14', ttlSeconds: 60 };

it('finds the addresses of a name, and asks again only after its TTL', async () => {
  await using server = await startNameServer(() => PUBLIC);
  let nowMs = 1_000;
  using names = createNameResolver({ nameServers: [server.address], now: () => nowMs });

  const first = await names.resolve('Hooks.Example.com');
  nowMs += 59_000;
  await names.resolve('hooks.example.com.');
  const asked = server.questions.length;
  nowMs += 2_000;
  await names.resolve('hooks.example.com');

  expect(first).toEqual([{ address: '93.184.215.14', family: 4 }]);
  expect(asked).toBe(1);
  expect(server.questions).toEqual(['hooks.example.com', 'hooks.example.com']);
});

it.each([
  ['an hour', 3_600, 300_100],
  ['no time', 0, 1_100],
])('keeps an answer with a TTL of %s within the bounds of the cache', async (_name, ttlSeconds, expiresMs) => {
  await using server = await startNameServer(() => ({ address: '93.184.215.14', ttlSeconds }));
  let nowMs = 1_000;
  using names = createNameResolver({ nameServers: [server.address], now: () => nowMs });

  await names.resolve('hooks.example.com');
  nowMs += expiresMs - 200;
  await names.resolve('hooks.example.com');
  const early = server.questions.length;
  nowMs += 200;
  await names.resolve('hooks.example.com');

  expect([early, server.questions.length]).toEqual([1, 2]);
});

it('shares one lookup between all callers, and remembers an unknown name for ten seconds', async () => {
  await using server = await startNameServer(() => 'unknown');
  let nowMs = 1_000;
  using names = createNameResolver({ nameServers: [server.address], now: () => nowMs });
  const look = () => names.resolve('gone.example.com').catch((error: { code?: unknown }) => error.code);

  const together = await Promise.all(Array.from({ length: 20 }, look));
  nowMs += 9_000;
  const later = await look();
  const asked = server.questions.length;
  nowMs += 2_000;
  await look();

  expect(new Set([...together, later])).toEqual(new Set(['ENOTFOUND']));
  expect([asked, server.questions.length]).toEqual([1, 2]);
});

it('does not let dead names delay others, and ends their lookups when it is closed', async () => {
  await using server = await startNameServer((name) => (name.startsWith('dead') ? 'silent' : PUBLIC));
  const names = createNameResolver({ nameServers: [server.address] });
  const dead = Array.from({ length: 10 }, (_, index) =>
    names.resolve(`dead-${index}.example.com`).catch((error: { code?: unknown }) => error.code),
  );
  await vi.waitUntil(() => server.questions.length >= 10, { timeout: HANG_MS });

  const found = await names.resolve('hooks.example.com');
  const firstEnded = await Promise.race([...dead, Promise.resolve('none yet')]);
  names[Symbol.dispose]();

  expect(found).toHaveLength(1);
  expect(firstEnded).toBe('none yet');
  expect(await Promise.all(dead)).toEqual(Array(10).fill('EAI_AGAIN'));
});

it('gives up a lookup that nobody answers', async () => {
  await using server = await startNameServer(() => 'silent');
  using names = createNameResolver({ nameServers: [server.address] });

  await expect(names.resolve('dead.example.com')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
});

it('knows localhost and the names in the hosts file without asking', async () => {
  await using server = await startNameServer(() => 'unknown');
  const directory = await mkdtemp(join(tmpdir(), 'hosts-'));
  try {
    const hostsFile = join(directory, 'hosts');
    await writeFile(hostsFile, '10.0.0.7 receiver.internal\n');
    using names = createNameResolver({ nameServers: [server.address], hostsFile });

    expect(await names.resolve('receiver.internal')).toEqual([{ address: '10.0.0.7', family: 4 }]);
    expect((await names.resolve('localhost')).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
    expect((await names.resolve('a.localhost')).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
    expect(server.questions).toEqual([]);
  } finally {
    await rm(directory, { recursive: true });
  }
});
