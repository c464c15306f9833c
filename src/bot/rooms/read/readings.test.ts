import { describe, expect, it } from 'vitest';
import { withStore } from '../../../../test/support/bot-store.ts';
import type { ReadingStore } from './readings.ts';

const CHANNEL = 'C0ALERTS01';
const TOOL = { channelId: CHANNEL, botId: 'B1', botName: 'Monitor' };

const said = (ts: string, text: string, more: object = {}) => ({
  ...TOOL,
  ts,
  saidAt: ts,
  threadTs: null,
  message: { text },
  ...more,
});

function withReading(run: (readings: ReadingStore, id: string) => Promise<void>): Promise<void> {
  return withStore(async ({ store: { readings } }) => {
    const { id } = await readings.start({ ...TOOL, createdBy: 'U1' });
    await run(readings, id);
  });
}

describe('what an app said', () => {
  it('is kept once, and again only if it says something new', () =>
    withReading(async (readings) => {
      const kept = [
        await readings.keep(said('10.000001', 'down')),
        await readings.keep(said('10.000001', 'down')),
        await readings.keep(said('10.000001', 'down', { saidAt: '11.000000' })),
        await readings.keep(said('10.000001', 'up', { saidAt: '12.000000' })),
        await readings.keep(said('10.000001', 'late', { saidAt: '11.500000' })),
        await readings.keep(said('13.000000', '<@U1>')),
      ];

      expect(kept).toEqual([true, false, false, true, false, false]);
    }));

  it('is not kept of other apps, in other channels, and after a stop', () =>
    withReading(async (readings, id) => {
      const kept = [
        await readings.keep(said('10.000001', 'down', { botId: 'B2' })),
        await readings.keep(said('10.000001', 'down', { channelId: 'C0OTHER001' })),
        (await readings.stop(id)) !== null && (await readings.keep(said('10.000001', 'down'))),
      ];

      expect(kept).toEqual([false, false, false]);
      expect(await readings.stop(id)).toBeNull();
    }));

  it('is of the message that it edits or answers, and of no other thread', () =>
    withReading(async (readings, id) => {
      await readings.keep(said('10.000001', 'down'));
      await readings.keep(said('10.000001', 'up', { saidAt: '12.000000' }));
      const inThread = await readings.keep(said('13.000000', 'resolved', { threadTs: '10.000001' }));
      const elsewhere = await readings.keep(said('14.000000', 'resolved', { threadTs: '9.000000' }));

      const unsent = await readings.next(id);

      expect([inThread, elsewhere]).toEqual([true, false]);
      expect(unsent.map(({ change, firstTs, first: [first] }) => [change, firstTs, first?.title])).toEqual([
        ['post', '10.000001', 'down'],
        ['edit', '10.000001', 'down'],
        ['reply', '10.000001', 'down'],
      ]);
    }));

  it('is sent in its order, ten alerts together, which stay together until they are sent', () =>
    withReading(async (readings, id) => {
      const times = Array.from({ length: 25 }, (_, at) => `${10 + at}.000000`);
      for (const ts of times.slice(0, 8)) {
        await readings.keep(said(ts, `down ${ts}`));
      }
      const first = await readings.next(id);
      for (const ts of times.slice(8)) {
        await readings.keep(said(ts, `down ${ts}`));
      }
      const again = await readings.next(id);
      const sent: string[][] = [];
      for (let next = again; next.length > 0; next = await readings.next(id)) {
        sent.push(next.map(({ ts }) => ts));
        await readings.markSent(next);
      }

      expect(again).toEqual(first);
      expect(sent.map(({ length }) => length)).toEqual([8, 10, 7]);
      expect(sent.flat()).toEqual(times);
    }));

  it('is sent as it was said, also where its events came in another order', () =>
    withReading(async (readings, id) => {
      await readings.keep(said('12.000000', 'up'));
      await readings.keep(said('10.000000', 'down'));
      const first = await readings.next(id);
      await readings.keep(said('11.000000', 'still down'));
      const again = await readings.next(id); // the service may have got it
      await readings.markSent(first);

      const sent = [...first, ...(await readings.next(id))].map(({ ts }) => ts);

      expect(again).toEqual(first);
      expect(sent).toEqual(['10.000000', '12.000000', '11.000000']);
    }));

  it('is sent alone if it has more alerts than fit', () =>
    withReading(async (readings, id) => {
      const attachments = Array.from({ length: 12 }, (_, at) => ({ title: `alert ${at}` }));
      await readings.keep(said('10.000000', '', { message: { attachments } }));
      await readings.keep(said('11.000000', 'down'));

      expect((await readings.next(id)).map(({ ts, alerts }) => [ts, alerts.length])).toEqual([['10.000000', 12]]);
    }));
});
