import { describe, expect, it } from 'vitest';
import { CHANNEL, duePlace, incident, MINUTE_MS, NOW, present, withStore } from '../../../test/support/bot-store.ts';
import { URGENCY } from '../incident/urgency.ts';
import type { Store } from '../store.ts';
import { permitOf } from './throttle.ts';

const POSTS_HERE = { call: 'chat.postMessage', placeId: CHANNEL } as const;
const POSTS = { call: 'chat.postMessage', placeId: null } as const;

/** Whether a post in the channel is permitted now. */
async function mayPost(store: Store): Promise<boolean> {
  const { bucket, pauses, now } = present(await duePlace(store));
  return permitOf(bucket, pauses, now).calls.includes('chat.postMessage');
}

function withDueCard(run: Parameters<typeof withStore>[0]): Promise<void> {
  return withStore(async (test) => {
    await test.store.incidents.observe(incident('a'), { urgency: URGENCY.opened, asOf: NOW });
    await run(test);
  });
}

describe('a pause', () => {
  it('lasts as long as the number of failures in a row asks for, for every process', () =>
    withDueCard(async ({ store, advance }) => {
      const pauseMs = (failures: number) => (failures - 1) * MINUTE_MS;

      const counts = [await store.pauses.failed(POSTS_HERE, 'ratelimited', pauseMs)];
      const afterFirst = await mayPost(store);
      counts.push(await store.pauses.failed(POSTS_HERE, 'ratelimited', pauseMs));
      const afterSecond = await mayPost(store);
      await advance(MINUTE_MS);

      expect(counts).toEqual([1, 2]);
      expect([afterFirst, afterSecond, await mayPost(store)]).toEqual([true, false, true]);
    }));

  it('is over, with its failures, once a call has worked', () =>
    withDueCard(async ({ store }) => {
      await store.pauses.failed(POSTS, 'no answer', () => MINUTE_MS);
      await store.pauses.failed(POSTS_HERE, 'ratelimited', () => MINUTE_MS);

      await store.pauses.worked('chat.postMessage', CHANNEL);

      expect(await mayPost(store)).toBe(true);
      expect((await store.pauses.list()).map(({ failures }) => failures)).toEqual([0, 0]);
      expect(await store.pauses.failed(POSTS, 'no answer', () => 0)).toBe(1);
    }));

  it('of a call is forgotten with its failures after a while, one of a refused channel is not', () =>
    withDueCard(async ({ store, advance }) => {
      await store.pauses.failed({ call: 'conversations.replies', placeId: null }, 'no answer', () => 0);
      await store.pauses.failed({ call: null, placeId: CHANNEL }, 'restricted_action', () => MINUTE_MS);
      await advance(60 * MINUTE_MS);

      const listed = await store.pauses.list();

      expect(listed.map(({ call, failures }) => [call, failures])).toEqual([
        [null, 1],
        ['conversations.replies', 0],
      ]);
      expect(await store.pauses.failed({ call: 'conversations.replies', placeId: null }, 'no answer', () => 0)).toBe(1);
    }));

  it('is not over when another call worked, or the same one elsewhere', () =>
    withDueCard(async ({ store }) => {
      await store.pauses.failed(POSTS_HERE, 'ratelimited', () => MINUTE_MS);

      await store.pauses.worked('chat.update', CHANNEL);
      await store.pauses.worked('chat.postMessage', 'C0OTHER');

      expect(await mayPost(store)).toBe(false);
    }));

  it('of everything is over when any call worked', () =>
    withDueCard(async ({ store }) => {
      await store.pauses.failed({ call: null, placeId: null }, 'token_revoked', () => MINUTE_MS);
      const whilePaused = await mayPost(store);

      await store.pauses.worked('chat.update', 'C0OTHER');

      expect([whilePaused, await mayPost(store)]).toEqual([false, true]);
    }));

  it('is not shortened by a failure that asks for less', () =>
    withDueCard(async ({ store, advance }) => {
      await store.pauses.failed(POSTS_HERE, 'ratelimited', () => 10 * MINUTE_MS);
      await store.pauses.failed(POSTS_HERE, 'no answer', () => 0);
      await advance(MINUTE_MS);

      expect(await mayPost(store)).toBe(false);
    }));

  it('is void after the clock was set back, and stays so when a call fails then', () =>
    withDueCard(async ({ store, advance }) => {
      await store.pauses.failed(POSTS_HERE, 'ratelimited', () => MINUTE_MS);
      await advance(-60 * MINUTE_MS);
      const afterStep = await mayPost(store);
      await store.pauses.failed(POSTS_HERE, 'ratelimited', () => MINUTE_MS);
      const paused = await mayPost(store);
      await advance(MINUTE_MS);

      expect([afterStep, paused, await mayPost(store)]).toEqual([true, false, true]);
    }));

  it('holds also for a process that read the places before it began', () =>
    withDueCard(async ({ store }) => {
      const place = present(await duePlace(store));
      const permit = permitOf(place.bucket, place.pauses, place.now);
      await store.pauses.failed(POSTS_HERE, 'ratelimited', () => MINUTE_MS);

      const whilePaused = await store.messages.claim(place, permit);
      await store.pauses.worked('chat.postMessage', CHANNEL);

      expect(whilePaused).toBeNull();
      expect(await store.messages.claim(place, permit)).toMatchObject({ subject: 'a' });
    }));

  it('is listed with its reason, the latest first', () =>
    withDueCard(async ({ store, advance }) => {
      await store.pauses.failed(POSTS, 'no answer', () => MINUTE_MS);
      await advance(1_000);
      await store.pauses.failed(POSTS_HERE, 'ratelimited', () => MINUTE_MS);

      const pauses = await store.pauses.list();

      expect(pauses).toMatchObject([
        { ...POSTS_HERE, reason: 'ratelimited', failures: 1 },
        { ...POSTS, reason: 'no answer', failures: 1 },
      ]);
      expect(pauses.map(({ since, until }) => until.getTime() - since.getTime())).toEqual([MINUTE_MS, MINUTE_MS]);
    }));
});
