import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  CHANNEL,
  claimAll,
  incident,
  LATER,
  NOW,
  present,
  show,
  showAll,
  withStore,
} from '../../../test/support/bot-store.ts';
import { STORM_RULES } from '../domain/storm.ts';
import type { Attempt } from '../messages/find-attempt.ts';
import { factsOf } from '../views/what-changed.ts';
import { LANES } from './lanes.ts';
import type { Store } from './store.ts';

function attempt(at: Date): Attempt {
  return { id: randomUUID(), at, lastAt: at };
}

/** @returns whose card it was */
async function showNext(store: Store, now: Date): Promise<string> {
  const card = present(await store.cards.claim(CHANNEL, now));
  await show(store, card);
  return card.incidentId;
}

describe('cards', () => {
  it('go to one process each, however many ask at once', () =>
    withStore(async (store) => {
      for (const id of ['a', 'b', 'c']) {
        await store.incidents.observe(incident(id), { lane: LANES.opened, asOf: NOW });
      }

      const claims = await Promise.all(Array.from({ length: 8 }, () => store.cards.claim(CHANNEL, NOW)));

      const ids = claims.flatMap((card) => (card === null ? [] : [card.incidentId]));
      expect(new Set(ids).size).toBe(ids.length);
    }));

  it('are free again when the process that held them died', () =>
    withStore(async (store) => {
      await store.incidents.observe(incident('a'), { lane: LANES.opened, asOf: NOW });
      await store.cards.claim(CHANNEL, NOW);

      expect(await store.cards.claim(CHANNEL, NOW)).toBeNull();
      expect((await store.cards.claim(CHANNEL, LATER))?.incidentId).toBe('a');
    }));

  it('are written by whoever holds the lease, and shown once more after one who held it too long', () =>
    withStore(async (store) => {
      const shown = { ts: '1.1', digest: 'd', revision: '1', facts: factsOf(incident('a'), NOW), tellAt: NOW };
      await store.incidents.observe(incident('a'), { lane: LANES.opened, asOf: NOW });
      const late = present(await store.cards.claim(CHANNEL, NOW));
      const holder = present(await store.cards.claim(CHANNEL, LATER));

      const isBegun = [await store.cards.beginAttempt(late, attempt(NOW))];
      isBegun.push(await store.cards.beginAttempt(holder, attempt(LATER)));
      await store.cards.release(late, { error: 'late', retryAt: NOW, isRefused: false });
      await store.cards.endAttempt(late);
      const kept = await store.cards.find('a', CHANNEL);
      const lags = [await store.cards.markShown(holder, shown), await store.cards.markShown(late, shown)];

      expect(isBegun).toEqual([false, true]);
      expect(kept).toMatchObject({ attempts: 0, leasedUntil: holder.leasedUntil, attempt: { at: LATER } });
      expect(lags).toEqual([expect.any(Number), null]);
      expect(await store.cards.claim(CHANNEL, LATER)).toMatchObject({ ts: '1.1', shownDigest: null });
    }));

  it('take turns within their lane, however often each of them changes', () =>
    withStore(async (store) => {
      const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
      for (const id of ids) {
        await store.incidents.observe(incident(id), { lane: LANES.opened, asOf: NOW });
      }
      await showAll(store);

      const edited: string[] = [];
      for (let poll = 1; poll <= 4; poll += 1) {
        for (const id of ids) {
          await store.incidents.observe(incident(id, { signal_count: 1 + poll }), { lane: LANES.count, asOf: NOW });
        }
        for (let edits = 0; edits < 3; edits += 1) {
          edited.push(await showNext(store, NOW));
        }
      }

      expect(edited.toSorted()).toEqual([...ids, ...ids].toSorted());
    }));

  it('give way to all others once Slack has refused them several times, and take their turn among the last', () =>
    withStore(async (store) => {
      for (const id of ['refused', 'counted']) {
        await store.incidents.observe(incident(id), { lane: LANES.opened, asOf: NOW });
      }
      await showAll(store);
      await store.incidents.touch('refused');
      for (let times = 0; times < 3; times += 1) {
        const card = present(await store.cards.claim(CHANNEL, NOW));
        await store.cards.release(card, { error: 'cant_edit', retryAt: NOW, isRefused: true });
      }
      await store.incidents.observe(incident('counted', { signal_count: 9 }), { lane: LANES.count, asOf: NOW });
      await store.incidents.observe(incident('fresh'), { lane: LANES.opened, asOf: NOW });

      const order = (await claimAll(store, LATER)).map((card) => card.incidentId);

      expect(order).toEqual(['fresh', 'refused', 'counted']);
    }));

  it('that are missed in the channel are due since then, and as urgent as new ones', () =>
    withStore(async (store, db) => {
      for (const id of ['missed', 'changed']) {
        await store.incidents.observe(incident(id), { lane: LANES.opened, asOf: NOW });
      }
      await showAll(store);
      await sql`update cards set due_since = now() - interval '2 days', lane = ${LANES.count}`.execute(db);
      const { ts } = present(await store.cards.find('missed', CHANNEL));
      await store.incidents.observe(incident('changed', { status: 'closed' }), { lane: LANES.state, asOf: NOW });

      await store.cards.moveMessage(CHANNEL, 'missed', { from: ts, to: null });
      const card = present(await store.cards.claim(CHANNEL, LATER));

      expect(card.incidentId).toBe('missed');
      expect(await show(store, card)).toBeLessThan(60_000);
    }));

  it('that lost their message are posted after those of new incidents', () =>
    withStore(async (store) => {
      await store.incidents.observe(incident('lost'), { lane: LANES.opened, asOf: NOW });
      await showAll(store);
      await store.incidents.touch('lost');
      const card = present(await store.cards.claim(CHANNEL, NOW));
      await store.cards.beginAttempt(card, attempt(NOW));
      await store.cards.forgetMessage(card);
      await store.incidents.observe(incident('fresh'), { lane: LANES.opened, asOf: NOW });

      const order = await claimAll(store, LATER);

      expect(order).toMatchObject([{ incidentId: 'fresh' }, { incidentId: 'lost', ts: null, attempt: null }]);
    }));

  it('come in the order of their lanes', () =>
    withStore(async (store) => {
      for (const id of ['counted', 'clicked']) {
        await store.incidents.observe(incident(id), { lane: LANES.opened, asOf: NOW });
      }
      await showAll(store);
      await store.incidents.observe(incident('counted', { signal_count: 9 }), { lane: LANES.count, asOf: NOW });
      await store.incidents.observe(incident('fresh'), { lane: LANES.opened, asOf: NOW });
      await store.incidents.touch('clicked');

      const order = (await claimAll(store, LATER)).map((card) => card.incidentId);

      expect(order).toEqual(['clicked', 'fresh', 'counted']);
    }));

  it('remember the attempt until it is certain how it ended', () =>
    withStore(async (store) => {
      const begun = attempt(NOW);
      await store.incidents.observe(incident('a'), { lane: LANES.opened, asOf: NOW });
      const card = present(await store.cards.claim(CHANNEL, NOW));
      await store.cards.beginAttempt(card, begun);

      await store.cards.release(card, { error: 'no answer', retryAt: NOW, isRefused: false });
      const unclear = present(await store.cards.claim(CHANNEL, NOW));
      await store.cards.endAttempt(unclear);
      await store.cards.release(unclear, { error: 'is_archived', retryAt: NOW, isRefused: false });
      const over = await store.cards.claim(CHANNEL, NOW);

      expect([unclear.attempt, over?.attempt]).toEqual([begun, null]);
    }));
});

describe('a storm', () => {
  const RULES = { ...STORM_RULES, incidents: 1, leftOpen: 1 };

  async function openTwo(store: Store): Promise<void> {
    for (const id of ['a', 'b']) {
      await store.incidents.observe(incident(id), { lane: LANES.opened, asOf: NOW });
    }
  }

  it('leaves a card to whoever opens the incident again', () =>
    withStore(async (store) => {
      await openTwo(store);
      await store.storms.advance(CHANNEL, NOW, RULES);
      await store.incidents.markGone('a');
      await store.incidents.observe(incident('b', { status: 'closed' }), { lane: LANES.state, asOf: NOW });
      await store.storms.advance(CHANNEL, LATER, RULES);
      const atEnd = await claimAll(store, LATER);

      for (const id of ['a', 'b']) {
        await store.incidents.observe(incident(id, { signal_count: 7 }), { lane: LANES.state, asOf: LATER });
      }

      expect(atEnd).toEqual([]);
      expect((await claimAll(store, LATER)).map((card) => card.incidentId).toSorted()).toEqual(['a', 'b']);
      expect((await store.cards.countWaiting()).withheld).toBe(0);
    }));

  it('takes a card away from whoever has stood still over it', () =>
    withStore(async (store) => {
      await openTwo(store);
      const late = present(await store.cards.claim(CHANNEL, NOW));
      await store.storms.advance(CHANNEL, LATER, { ...RULES, windowMs: 2 * (Number(LATER) - Number(NOW)) });

      expect(await store.cards.beginAttempt(late, attempt(LATER))).toBe(false);
      expect(await show(store, late)).toBeNull();
    }));
});

describe('a registration', () => {
  it('is made once, by however many processes at the same time', () =>
    withStore(async (store) => {
      const key = { serviceId: 'http://service/v1', teamId: 'T1', appId: 'A1' };
      let made = 0;
      const register = async () => {
        made += 1;
        return 'int_1';
      };

      await Promise.all(Array.from({ length: 5 }, () => store.registrations.once(key, register)));

      expect(made).toBe(1);
    }));

  it('is tried again after it failed', () =>
    withStore(async (store) => {
      const key = { serviceId: 'http://service/v1', teamId: 'T1', appId: 'A1' };
      const failing = store.registrations.once(key, () => Promise.reject(new Error('away')));
      await expect(failing).rejects.toThrow('away');

      let isMade = false;
      await store.registrations.once(key, async () => {
        isMade = true;
        return null;
      });

      expect(isMade).toBe(true);
    }));
});
