import { expect, it } from 'vitest';
import { claim, NOW, present, SHOWN, withStore } from '../../../../test/support/bot-store.ts';
import { readStored } from '../../messages/kind.ts';
import { createSwapKind } from './swap-kind.ts';
import { askForSwap } from './swap-messages.ts';

const SWAP = {
  schedule: 'Payments',
  scheduleId: 's',
  isForAnybody: false,
  from: NOW.toISOString(),
  to: NOW.toISOString(),
};

it('tells who asked once Slack has refused five times to ask somebody, and keeps what was posted', () =>
  withStore(async ({ store, db }) => {
    const kind = createSwapKind({ now: () => NOW });
    await askForSwap(db, 'swap1', ['U2'], { ...SWAP, asker: 'U1', state: 'asked' });
    const swap = readStored(kind, present(await claim(store, 'U2')));
    const refused = { ...swap, refusals: 5 } as never;

    expect(await kind.giveUp?.({ ...swap, refusals: 4 } as never, 'cannot_dm_bot')).toBeNull();
    expect(await kind.giveUp?.({ ...swap, refusals: 5, ts: '1.1' } as never, 'edit_window_closed')).toBeNull();
    const writes = present(await kind.giveUp?.(refused, 'cannot_dm_bot'));
    await store.messages.confirmSent(swap, true, writes);

    expect(await claim(store, 'U2')).toBeNull();
    const told = present(await claim(store, 'U1'));
    expect(told).toMatchObject({ kind: 'notice', data: { text: expect.stringMatching(/ask <@U2> .*cannot_dm_bot/) } });
    await store.messages.confirmShown(told, SHOWN);
  }));
