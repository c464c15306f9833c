import { expect, it } from 'vitest';
import { createPinKind } from './furnishing-kinds.ts';

it('looks ever less often for a card that is not posted, and gives up', async () => {
  const pin = createPinKind({ add: () => Promise.reject(new Error('nothing is to be pinned')) } as never, {
    findTs: async () => null,
  });
  const effect = { id: '1', kind: '', subject: 'i', detail: '', lane: '', attemptedAt: null, dueSince: '', lease: '1' };
  const look = (failures: number) =>
    pin.carryOut({ ...effect, failures, data: { channelId: 'C1' } }, async () => true, new AbortController().signal);

  expect([await look(0), await look(3), await look(59)]).toEqual(
    [1_000, 8_000, 60_000].map((againInMs) => ({ againInMs, error: 'the card' })),
  );
  expect(await look(60)).toEqual({ outcome: {}, isRefused: true });
});
