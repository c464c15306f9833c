import { sql } from 'kysely';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  attempt,
  CHANNEL,
  claim,
  claimAll,
  duePlace,
  incident,
  LEASE_EXPIRED_MS,
  MINUTE_MS,
  NOW,
  open,
  openAndClaim,
  present,
  SHOWN,
  show,
  showAll,
  subjects,
  touch,
  withStore,
} from '../../../test/support/bot-store.ts';
import { URGENCY } from '../incident/urgency.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('claims', () => {
  it('go to one process each, however many ask at once', () =>
    withStore(async ({ store }) => {
      await open(store, 'a', 'b', 'c');

      const claims = await Promise.all(Array.from({ length: 8 }, () => claim(store)));

      const ids = subjects(claims.filter((message) => message !== null));
      expect(ids.length).toBeGreaterThan(0);
      expect(new Set(ids).size).toBe(ids.length);
    }));

  it('are respected by a statement that began before the claim and waited for its lock', () =>
    withStore(async ({ store, db }) => {
      await open(store, 'a');
      const [isLocked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = db.transaction().execute(async (tx) => {
        await sql`select from channels where channel_id = ${CHANNEL} for update`.execute(tx);
        isLocked.resolve();
        await release.promise;
      });
      await isLocked.promise;

      const claims = Promise.all([claim(store), claim(store), claim(store)]);
      release.resolve();
      await holding;

      expect((await claims).filter((message) => message !== null)).toHaveLength(1);
    }));

  it('expire, so that another process takes over from one that died', () =>
    withStore(async ({ store, advance }) => {
      await openAndClaim(store);

      const whileLeased = await claim(store);
      await advance(LEASE_EXPIRED_MS);

      expect(whileLeased).toBeNull();
      expect((await claim(store))?.subject).toBe('a');
    }));

  it('do not know what Slack shows after a failure, or when they take over from a process that died', () =>
    withStore(async ({ store, advance }) => {
      await show(store, await openAndClaim(store));
      await touch(store, 'a');
      const shown = present(await claim(store));
      await store.messages.release(shown, { error: 'internal_error', retryMs: 0, isRefused: false });
      const failed = present(await claim(store));
      await show(store, failed);
      await touch(store, 'a');
      await claim(store);
      await advance(LEASE_EXPIRED_MS);

      const takenOver = present(await claim(store));

      expect([shown.digest, failed.digest, takenOver.digest]).toEqual(['d', null, null]);
    }));

  it.each([-1, 1])('ignore the clock of the process: %i h off', (hours) =>
    withStore(async ({ store, advance }) => {
      await openAndClaim(store);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 60 * MINUTE_MS });

      const whileLeased = await claim(store);
      await advance(LEASE_EXPIRED_MS);
      const afterwards = present(await claim(store));

      expect(whileLeased).toBeNull();
      expect(await store.messages.beginAttempt(afterwards, attempt(NOW), undefined)).toBe(true);
    }),
  );

  it('come in the order of urgency', () =>
    withStore(async ({ store }) => {
      await open(store, 'counted', 'clicked');
      await showAll(store);
      await store.incidents.observe(incident('counted', { signal_count: 9 }), { urgency: URGENCY.count, asOf: NOW });
      await open(store, 'fresh');
      await touch(store, 'clicked');

      expect(subjects(await claimAll(store))).toEqual(['clicked', 'fresh', 'counted']);
    }));

  it('take turns between equally urgent messages, however often each of them changes', () =>
    withStore(async ({ store }) => {
      const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
      await open(store, ...ids);
      await showAll(store);

      const edited: string[] = [];
      for (let poll = 1; poll <= 4; poll += 1) {
        for (const id of ids) {
          await store.incidents.observe(incident(id, { signal_count: 1 + poll }), {
            urgency: URGENCY.count,
            asOf: NOW,
          });
        }
        for (let edits = 0; edits < 3; edits += 1) {
          const card = present(await claim(store));
          await show(store, card);
          edited.push(card.subject);
        }
      }

      expect(edited.toSorted()).toEqual([...ids, ...ids].toSorted());
    }));

  it('come last for messages that Slack has refused several times, in turn with the least urgent ones', () =>
    withStore(async ({ store }) => {
      await open(store, 'refused', 'counted');
      await showAll(store);
      await touch(store, 'refused');
      for (let times = 0; times < 3; times += 1) {
        const card = present(await claim(store));
        await store.messages.release(card, { error: 'cant_edit', retryMs: 0, isRefused: true });
      }
      await store.incidents.observe(incident('counted', { signal_count: 9 }), { urgency: URGENCY.count, asOf: NOW });
      await open(store, 'fresh');

      expect(subjects(await claimAll(store))).toEqual(['fresh', 'refused', 'counted']);
    }));

  it('skip messages whose next call is not permitted', () =>
    withStore(async ({ store }) => {
      await open(store, 'shown');
      await showAll(store);
      await touch(store, 'shown');
      await open(store, 'new', 'tried');
      const tried = present(await claim(store, CHANNEL, { calls: ['chat.postMessage'] }));
      await store.messages.beginAttempt(tried, attempt(NOW), undefined);
      await store.messages.release(tried, { error: 'no answer', retryMs: 0, isRefused: false });
      const [other = ''] = ['new', 'tried'].filter((id) => id !== tried.subject);

      const posted = await claim(store, CHANNEL, { calls: ['chat.postMessage'] });
      const none = await claim(store, CHANNEL, { calls: ['chat.postMessage', 'conversations.replies'] });
      const edited = await claim(store, CHANNEL, { calls: ['chat.update'] });
      const searched = await claim(store, CHANNEL, { calls: ['conversations.history'] });

      expect([posted, none, edited, searched].map((message) => message?.subject ?? null)).toEqual([
        other,
        null,
        'shown',
        tried.subject,
      ]);
    }));

  it('wait until their retry is due', () =>
    withStore(async ({ store, advance }) => {
      const card = await openAndClaim(store);
      await store.messages.release(card, { error: 'no answer', retryMs: 5_000, isRefused: false });

      const early = await claim(store);
      await advance(5_000);

      expect(early).toBeNull();
      expect(await claim(store)).toMatchObject({ failures: 1, refusals: 0 });
    }));

  it('never wait longer than the longest retry, so a clock that was set back silences nothing', () =>
    withStore(async ({ store, advance }) => {
      const card = await openAndClaim(store);
      await store.messages.release(card, { error: 'no answer', retryMs: 60_000, isRefused: false });

      await advance(-60 * MINUTE_MS);

      expect(await claim(store)).toMatchObject({ subject: 'a' });
    }));
});

describe('the bucket of a place', () => {
  it('pays for each claim once, however many processes saw the same bucket', () =>
    withStore(async ({ store }) => {
      await open(store, 'a', 'b');
      const place = present(await duePlace(store));
      const refilled = { ...place.bucket, countedAt: place.now };
      const permit = { calls: ['chat.postMessage'] as const, allowsReplies: true, refilled, waitMs: 0 };

      const claims = await Promise.all([store.messages.claim(place, permit), store.messages.claim(place, permit)]);

      expect(claims.filter((message) => message !== null)).toHaveLength(1);
      expect((await duePlace(store))?.bucket).toEqual({ ...refilled, posts: refilled.posts - 1 });
    }));

  it('pays out of a bucket that is partly refilled', () =>
    withStore(async ({ store }) => {
      await open(store, 'a', 'b');
      const place = present(await duePlace(store));
      const refilled = { ...place.bucket, posts: 2.5, edits: 1.25 };

      const claimed = await claim(store, CHANNEL, { calls: ['chat.postMessage'], refilled });

      expect(claimed?.subject).toBe('a');
      expect((await duePlace(store))?.bucket).toMatchObject({ posts: 1.5, edits: 1.25 });
    }));

  it('pays for an edit apart from posts', () =>
    withStore(async ({ store }) => {
      await open(store, 'shown', 'new');
      await show(store, present(await claim(store)));
      await touch(store, 'shown');
      const place = present(await duePlace(store));

      const edit = await claim(store, CHANNEL, { calls: ['chat.update'], refilled: place.bucket });

      expect(edit?.subject).toBe('shown');
      expect((await duePlace(store))?.bucket).toMatchObject({
        posts: place.bucket.posts,
        edits: place.bucket.edits - 1,
      });
    }));

  it('gets its token back when no call was made', () =>
    withStore(async ({ store }) => {
      await open(store, 'unchanged', 'dropped', 'sent', 'due');
      const tokens = async () => present(await duePlace(store)).bucket.posts;
      const before = await tokens();
      const take = async () => {
        const { bucket } = present(await duePlace(store));
        return present(await claim(store, CHANNEL, { refilled: bucket }));
      };

      await store.messages.confirmShown(await take(), { ...SHOWN, isSent: false });
      await store.messages.drop(await take());
      const unpaid = await tokens();
      await store.messages.confirmShown(await take(), { ...SHOWN, ts: '1.2' });

      expect(unpaid).toBe(before);
      expect(await tokens()).toBe(before - 1);
    }));
});
