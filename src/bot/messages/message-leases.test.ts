import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  attempt,
  CHANNEL,
  claim,
  claimAll,
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
  touch,
  withStore,
} from '../../../test/support/bot-store.ts';
import { URGENCY } from '../incident/urgency.ts';

describe('the holder of a lease', () => {
  it('is the only one who writes, and a late confirmation makes the message due again', () =>
    withStore(async ({ store, advance }) => {
      const late = await openAndClaim(store);
      await advance(LEASE_EXPIRED_MS);
      const holder = present(await claim(store));
      const [lateAttempt, held] = [attempt(NOW), attempt(NOW)];

      const isBegun = [await store.messages.beginAttempt(late, lateAttempt, undefined)];
      isBegun.push(await store.messages.beginAttempt(holder, held, undefined));
      await store.messages.release(late, { error: 'late', retryMs: 0, isRefused: false });
      await store.messages.endAttempt(late);
      await store.messages.forget(late);
      await store.messages.drop(late);
      const whileHeld = await claim(store);
      await advance(LEASE_EXPIRED_MS);
      const next = present(await claim(store));
      const dueForMs = [
        await store.messages.confirmShown(next, SHOWN),
        await store.messages.confirmShown(holder, SHOWN),
        await store.messages.confirmSent(late, false),
      ];

      expect(isBegun).toEqual([false, true]);
      expect(whileHeld).toBeNull();
      expect(next).toMatchObject({ failures: 0, attempt: held });
      expect(dueForMs).toEqual([expect.any(Number), null, null]);
      expect(await claim(store)).toMatchObject({ ts: '1.1', digest: null });
    }));

  it('is not mistaken for the holder of a claim that the database lost in a crash', () =>
    withStore(async ({ store, db }) => {
      await open(store, 'a');
      const before = await db.selectFrom('messages').select(['lease', 'leased_until']).executeTakeFirstOrThrow();
      const lost = present(await claim(store));
      await db.updateTable('messages').set(before).execute();
      const holder = present(await claim(store));

      const isBegun = [
        await store.messages.beginAttempt(lost, attempt(NOW), undefined),
        await store.messages.beginAttempt(holder, attempt(NOW), undefined),
      ];

      expect(isBegun).toEqual([false, true]);
    }));

  it('may not begin to post after its lease has expired, even if nobody took over', () =>
    withStore(async ({ store, advance }) => {
      const card = await openAndClaim(store);

      await advance(LEASE_EXPIRED_MS);

      expect(await store.messages.beginAttempt(card, attempt(NOW), undefined)).toBe(false);
    }));

  it('is prolonged for its holder alone, and is over within eight seconds after a crash', () =>
    withStore(async ({ store, advance }) => {
      const frozen = await openAndClaim(store);
      await advance(8_001);
      const holder = present(await claim(store));
      await advance(7_000);
      await store.messages.renew([holder]);
      await advance(7_000);

      await store.messages.renew([frozen]);
      const whileRenewed = await claim(store);
      await advance(1_001);

      expect(whileRenewed).toBeNull();
      expect(await claim(store)).not.toBeNull();
    }));

  it('gives no token of the channel back after it was lost', () =>
    withStore(async ({ store, db, advance }) => {
      const late = await openAndClaim(store);
      await advance(LEASE_EXPIRED_MS);
      present(await claim(store));
      const tokens = () => db.selectFrom('channels').select('tokens').execute();
      const before = await tokens();

      await store.messages.drop(late);
      await store.messages.hold(late, NOW);

      expect(await tokens()).toEqual(before);
    }));

  it('remembers the attempt and its data until the outcome is certain', () =>
    withStore(async ({ store, db }) => {
      const begun = attempt(NOW);
      const card = await openAndClaim(store);
      await db.updateTable('messages').set({ kind: 'answer' }).execute();
      await store.messages.beginAttempt(card, begun, ['as said']);

      await store.messages.release(card, { error: 'no answer', retryMs: 0, isRefused: false });
      const unclear = present(await claim(store));
      await store.messages.endAttempt(unclear);
      await store.messages.release(unclear, { error: 'is_archived', retryMs: 0, isRefused: false });
      const over = await claim(store);

      expect(unclear).toMatchObject({ attempt: begun, attemptData: ['as said'] });
      expect(over).toMatchObject({ attempt: null, attemptData: null });
    }));
});

describe('a message that was confirmed', () => {
  it('stays due if it changed since the claim', () =>
    withStore(async ({ store }) => {
      const card = await openAndClaim(store);
      await touch(store, 'a');

      await show(store, card);
      const again = await claim(store);
      await show(store, present(again));

      expect(again).toMatchObject({ subject: 'a', ts: '1.a', digest: 'd' });
      expect(await claim(store)).toBeNull();
    }));

  it('keeps what was stored beside it since the claim', () =>
    withStore(async ({ store, db }) => {
      const card = await openAndClaim(store);
      await sql`update messages set data = '{"calmAt": "2026-01-31T08:00:00.000Z"}'`.execute(db);

      await store.messages.confirmShown(card, SHOWN);

      const { data } = await db.selectFrom('messages').select('data').executeTakeFirstOrThrow();
      expect(data).toEqual({ calmAt: '2026-01-31T08:00:00.000Z' });
    }));

  it('rests as long as its kind asks for', () =>
    withStore(async ({ store, advance }) => {
      await store.messages.confirmShown(await openAndClaim(store), { ...SHOWN, restMs: 3_000 });
      await touch(store, 'a');

      const early = await claim(store);
      await advance(3_000);

      expect(early).toBeNull();
      expect((await claim(store))?.subject).toBe('a');
    }));

  it('forgets its failures', () =>
    withStore(async ({ store }) => {
      const card = await openAndClaim(store);
      await store.messages.release(card, { error: 'invalid_blocks', retryMs: 0, isRefused: true });
      await show(store, present(await claim(store)));
      await touch(store, 'a');

      expect(await claim(store)).toMatchObject({ failures: 0, refusals: 0 });
    }));

  it('writes what belongs to the confirmation with it or not at all', () =>
    withStore(async ({ store, db, advance }) => {
      const late = await openAndClaim(store);
      await advance(LEASE_EXPIRED_MS);
      const holder = present(await claim(store));
      const written: string[] = [];
      const also = (name: string) => async () => void written.push(name);

      await store.messages.confirmShown(late, SHOWN, also('late'));
      const failing = store.messages.confirmShown(holder, SHOWN, () => Promise.reject(new Error('broken')));
      await expect(failing).rejects.toThrow('broken');
      const { ts } = await db.selectFrom('messages').select('ts').executeTakeFirstOrThrow();
      await store.messages.confirmShown(holder, SHOWN, also('holder'));

      expect([ts, written]).toEqual([null, ['holder']]);
    }));

  it('is deleted when it is sent once, unless there is more to say', () =>
    withStore(async ({ store, db }) => {
      const count = async () => (await db.selectFrom('messages').select('id').execute()).length;
      const card = await openAndClaim(store);
      await store.messages.beginAttempt(card, attempt(NOW), {});

      await store.messages.confirmSent(card, true);
      const more = present(await claim(store));
      await touch(store, 'a');
      await store.messages.confirmSent(more, false);
      const changed = present(await claim(store));
      const counts = [await count()];
      await store.messages.confirmSent(changed, false);

      expect(more.attempt).toBeNull();
      expect([...counts, await count()]).toEqual([1, 0]);
    }));

  it('is not dropped with an attempt, because there may be more to say than the attempt said', () =>
    withStore(async ({ store }) => {
      const card = await openAndClaim(store);
      await store.messages.beginAttempt(card, attempt(NOW), {});
      await store.messages.release(card, { error: 'no answer', retryMs: 0, isRefused: false });

      await store.messages.drop(present(await claim(store)));
      const again = present(await claim(store));
      await store.messages.drop(again);

      expect(again).toMatchObject({ subject: 'a', attempt: null, attemptData: null });
      expect(await claim(store)).toBeNull();
    }));

  it('is not dropped if it changed since the claim', () =>
    withStore(async ({ store }) => {
      const card = await openAndClaim(store);
      await touch(store, 'a');

      await store.messages.drop(card);
      const again = present(await claim(store));
      await store.messages.drop(again);

      expect(await claim(store)).toBeNull();
      expect(again.subject).toBe('a');
    }));
});

describe('a message that is gone from Slack', () => {
  it('is due from the moment it was missed, and is as urgent as a new one', () =>
    withStore(async ({ store, db }) => {
      await open(store, 'missed', 'changed');
      await showAll(store);
      await sql`
        update messages set due_since = clock_now() - interval '2 days', urgency = ${URGENCY.count}`.execute(db);
      await store.incidents.observe(incident('changed', { status: 'closed' }), {
        urgency: URGENCY.state,
        asOf: NOW,
      });

      const missed = { kind: 'card', subject: 'missed' } as const;
      await store.audits.correct(CHANNEL, missed, { from: '1.missed', to: null });
      const card = present(await claim(store));

      expect(card).toMatchObject({ subject: 'missed', ts: null });
      expect(await show(store, card)).toBeLessThan(MINUTE_MS);
    }));

  it('is posted after those of new incidents', () =>
    withStore(async ({ store }) => {
      await open(store, 'lost');
      await showAll(store);
      await touch(store, 'lost');
      const card = present(await claim(store));
      await store.messages.beginAttempt(card, attempt(NOW), undefined);
      await store.messages.forget(card);
      await open(store, 'fresh');

      expect(await claimAll(store)).toMatchObject([{ subject: 'fresh' }, { subject: 'lost', ts: null, attempt: null }]);
    }));
});
