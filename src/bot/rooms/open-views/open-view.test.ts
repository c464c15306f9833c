import { describe, expect, it } from 'vitest';
import { nextRefresh, openView } from './open-view.ts';

const NOW = new Date('2026-11-24T09:02:00Z');
const END = new Date('2026-11-24T09:31:00Z');
const message = openView({ viewId: null, responseUrl: 'https://hooks/1', channelId: 'C1' }, '0 open', ['a'], NOW);
const modal = openView({ viewId: 'V1', responseUrl: null, channelId: null }, '0 open', ['a'], NOW);

describe('nextRefresh', () => {
  it('refreshes a message three times, with growing pauses, and says which is the last one', () => {
    const refreshes = [0, 1, 2, 3].map((count) => nextRefresh({ ...message, refreshes: count }, 0, NOW));

    expect(refreshes).toEqual([
      { nextUntil: END, restMs: 3_000 },
      { nextUntil: END, restMs: 60_000 },
      { nextUntil: null, restMs: 0 },
      null,
    ]);
  });

  it('counts failed tries, because Slack may count them', () => {
    expect(nextRefresh(message, 2, NOW)).toEqual({ nextUntil: null, restMs: 0 });
    expect(nextRefresh(message, 3, NOW)).toBeNull();
  });

  it('refreshes a modal any number of times, and no view after its end', () => {
    expect(nextRefresh({ ...modal, refreshes: 100 }, 9, NOW)?.nextUntil).toEqual(new Date('2026-11-24T10:02:00Z'));
    expect(nextRefresh(message, 0, END)).toBeNull();
    expect(nextRefresh(modal, 0, new Date('2026-11-24T10:02:00Z'))).toBeNull();
  });
});
