import { describe, expect, it } from 'vitest';
import { type Bucket, type MessageCall, type Pause, permitOf } from './throttle.ts';

const NOW = new Date('2026-01-31T08:00:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);
const bucket = (posts: number, countedAt = NOW): Bucket => ({ posts, edits: 5, countedAt });
const POSTS = ['chat.postMessage', 'conversations.history', 'conversations.replies', 'views.publish'];
const ALL: readonly MessageCall[] = [
  'chat.postMessage',
  'chat.update',
  'conversations.history',
  'conversations.replies',
  'views.publish',
];

function pause(fields: Partial<Pause> = {}): Pause {
  return {
    call: null,
    placeId: null,
    reason: 'ratelimited',
    failures: 1,
    since: at(-1),
    until: at(1_000),
    ...fields,
  };
}

describe('the bucket of a channel', () => {
  it('permits a burst of five messages, then one a second', () => {
    let [current, now] = [bucket(5), NOW];
    const sentAfterMs: number[] = [];
    while (sentAfterMs.length < 8) {
      const { calls, refilled, waitMs } = permitOf(current, [], now);
      if (calls.includes('chat.postMessage')) {
        sentAfterMs.push(now.getTime() - NOW.getTime());
        current = { ...refilled, posts: refilled.posts - 1 };
      } else {
        now = new Date(now.getTime() + waitMs);
      }
    }

    expect(sentAfterMs).toEqual([0, 0, 0, 0, 0, 1_000, 2_000, 3_000]);
  });

  it('never holds more than the burst', () => {
    expect(permitOf(bucket(5, at(-60_000)), [], NOW).refilled).toEqual(bucket(5));
    expect(permitOf(bucket(9), [], NOW).refilled).toEqual(bucket(5));
  });

  it('names the wait for the next message', () => {
    const { calls, waitMs } = permitOf(bucket(0.25), [], NOW);

    expect([calls, waitMs]).toEqual([['chat.update'], 750]);
    expect(permitOf(bucket(1), [], NOW)).toMatchObject({ calls: ALL, waitMs: 0 });
  });

  it('leaves room for two more urgent messages after a reply', () => {
    expect([1, 2, 2.99, 3, 5].map((tokens) => permitOf(bucket(tokens), [], NOW).allowsReplies)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });

  it('lets edits and posts not wait for each other', () => {
    expect(permitOf({ ...bucket(5), edits: 0.5 }, [], NOW)).toMatchObject({ calls: POSTS, waitMs: 500 });
  });

  it('is full again after the clock was set back', () => {
    const { calls, refilled } = permitOf(bucket(0, at(3_600_000)), [], NOW);

    expect([calls, refilled]).toEqual([ALL, bucket(5)]);
  });
});

describe('a pause', () => {
  const permitted = (...pauses: readonly Pause[]) => permitOf(bucket(5), pauses, NOW).calls;

  it('of one call leaves the others alone', () => {
    expect(permitted(pause({ call: 'chat.update' }))).toEqual(ALL.filter((call) => call !== 'chat.update'));
    expect(permitted(pause({ call: 'conversations.history' }))).toEqual(
      ALL.filter((call) => call !== 'conversations.history'),
    );
  });

  it('of posts stops look-ups too, because a post follows them', () => {
    expect(permitted(pause({ call: 'chat.postMessage' }))).toEqual(['chat.update', 'views.publish']);
  });

  it('of a channel or of everything permits nothing', () => {
    expect(permitted(pause({ placeId: 'C1' }))).toEqual([]);
    expect(permitted(pause())).toEqual([]);
  });

  it('is over at its end', () => {
    expect(permitted(pause({ until: NOW }))).toEqual(ALL);
    expect(permitted(pause({ until: at(1) }))).toEqual([]);
  });

  it('is void if it begins in the future, because the clock was set back', () => {
    expect(permitted(pause({ since: at(61_000), until: at(3_600_000) }))).toEqual(ALL);
    expect(permitted(pause({ since: at(1_000), until: at(3_600_000) }))).toEqual([]);
  });
});
