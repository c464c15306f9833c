import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { silentLogger } from '../../../test/support/logger.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import type { SetUp } from './set-up.ts';
import { createUpkeep } from './upkeep.ts';

const IDENTITY = { teamId: 'T1', teamName: 'Acme', appId: 'A1', botUserId: 'U1' };

it('begins once, though the channel is looked for again and again, and once more if that failed', async () => {
  const clock = createTestClock();
  const findChannel = vi.fn<SetUp['findChannel']>(async () => false);
  const onSignedIn = vi.fn<() => Promise<void>>(async () => {});
  onSignedIn.mockRejectedValueOnce(new Error('the database is away'));
  await using upkeep = createUpkeep({
    setUp: {
      signIn: async () => true,
      findChannel,
      identity: () => IDENTITY,
      channelId: () => null,
      limitMs: () => 0,
      problemOf: () => null,
    },
    connect: async () => IDENTITY,
    audit: { run: async () => {} },
    store: {
      homes: { forgetOld: async () => {} },
      openViews: { forgetOld: async () => {} },
      retention: { prune: async () => false },
    },
    retentionDays: null,
    onSignedIn,
    logger: silentLogger,
    clock,
  });
  upkeep.start();

  for (let looks = 1; looks <= 6; looks += 1) {
    await vi.waitFor(() => expect(findChannel.mock.calls.length).toBeGreaterThanOrEqual(looks));
    await turn();
    clock.advance(60_000);
  }

  expect(onSignedIn).toHaveBeenCalledTimes(2);
});
