import { expect, it } from 'vitest';
import { CHANNEL, openAndClaim, withStore } from '../../../test/support/bot-store.ts';
import { createNoticeKind } from './notice-kind.ts';

it('waits for the card of its thread, gives up on a thread or person that is gone after five refusals, and on a channel never', () =>
  withStore(async ({ store }) => {
    const notice = createNoticeKind(() => new Date());
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

    const toFollow = { ...inThread, data: { ...data, incidentId: 'a' }, threadTs: null };
    expect(await notice.render(toFollow)).toEqual({ heldUntil: expect.any(Date) });
    expect(await notice.render(inThread)).toMatchObject({ content: { text: data.text } });
    expect(await notice.giveUp?.(inThread, 'thread_not_found')).toBeInstanceOf(Function);
    expect(await notice.giveUp?.({ ...inThread, refusals: 4 }, 'thread_not_found')).toBeNull();
    expect(await notice.giveUp?.(inThread, 'channel_not_found')).toBeNull();
    expect(await notice.giveUp?.({ ...inThread, threadTs: null }, 'message_not_found')).toBeNull();
    const toPerson = { ...inThread, threadTs: null, placeId: 'U1' };
    expect(await notice.giveUp?.(toPerson, 'user_disabled')).toBeInstanceOf(Function);
    expect(await notice.giveUp?.({ ...toPerson, refusals: 4 }, 'user_disabled')).toBeNull();
  }));
