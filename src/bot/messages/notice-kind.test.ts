import { expect, it } from 'vitest';
import { CHANNEL, openAndClaim, withStore } from '../../../test/support/bot-store.ts';
import { createNoticeKind } from './notice-kind.ts';

it('gives up on a thread that is gone after five refusals, and on a channel never', () =>
  withStore(async ({ store }) => {
    const notice = createNoticeKind();
    const card = await openAndClaim(store);
    const data = { text: 'said in a thread' };
    const address = { placeId: CHANNEL, subject: 'event' };
    const inThread = {
      ...card,
      ...address,
      kind: 'notice',
      data,
      attemptData: null,
      threadTs: '1.1',
      refusals: 5,
    } as const;

    expect(await notice.giveUp?.(inThread, 'thread_not_found')).toBeInstanceOf(Function);
    expect(await notice.giveUp?.({ ...inThread, refusals: 4 }, 'thread_not_found')).toBeNull();
    expect(await notice.giveUp?.(inThread, 'channel_not_found')).toBeNull();
    expect(await notice.giveUp?.({ ...inThread, threadTs: null }, 'message_not_found')).toBeNull();
  }));
