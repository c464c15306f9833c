import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import type { Incident } from '../../contract/resources.ts';
import type { Attempt } from '../board/find-attempt.ts';
import { STORM_RULES } from '../board/storm-rules.ts';
import { factsOf } from '../views/what-changed.ts';
import type { AuditEntry } from './audit-log.ts';
import type { Card } from './cards.ts';
import { LANES } from './lanes.ts';
import { migrations } from './migrations.ts';
import type { NewAction } from './pending-actions.ts';
import { createStore, type Store } from './store.ts';
import { BOT_SCHEMA, type Tables } from './tables.ts';

const NOW = new Date('2026-01-31T08:00:00.000Z');
const CHANNEL = 'C0INCIDENT';
const ANSWER = { text: 'done', blocks: [] };
const SOON = new Date(NOW.getTime() + 1_000);
const LATER = new Date(NOW.getTime() + 10 * 60_000);

function incident(id: string, fields: Partial<Incident> = {}): Incident {
  const opened_at = NOW.toISOString();
  return { id, status: 'open', signal_count: 1, root_service: 'payments', opened_at, ...fields };
}

function action(fields: Partial<NewAction> = {}): NewAction {
  return {
    id: randomUUID(),
    source: null,
    kind: 'resolve',
    incidentId: 'inc_1',
    slackUserId: 'U1',
    userName: null,
    channelId: null,
    note: 'done',
    ...fields,
  };
}

function attempt(at: Date): Attempt {
  return { id: randomUUID(), at, lastAt: at };
}

function entry(fields: Partial<AuditEntry> = {}): AuditEntry {
  return {
    at: NOW,
    action: 'resolve',
    incidentId: 'inc_1',
    slackUserId: 'U1',
    userName: 'ana',
    channelId: null,
    outcome: 'done',
    detail: null,
    ...fields,
  };
}

async function withStore(run: (store: Store, db: Kysely<Tables>) => Promise<void>): Promise<void> {
  await using database = await createTestDatabase();
  const store = await createStore(database);
  await store.subscriptions.replace({ channelId: CHANNEL, setting: '#incidents' });
  await run(store, await database.open<Tables>(BOT_SCHEMA, migrations));
}

async function claimAll(store: Store, now: Date): Promise<Card[]> {
  const claimed: Card[] = [];
  for (let card = await store.cards.claim(CHANNEL, now); card !== null; card = await store.cards.claim(CHANNEL, now)) {
    claimed.push(card);
  }
  return claimed;
}

function present<Value>(value: Value | null): Value {
  if (value === null) {
    throw new Error('nothing was due');
  }
  return value;
}

async function show(store: Store, card: Card): Promise<number | null> {
  const revision = (await store.incidents.find(card.incidentId))?.revision ?? '0';
  const facts = factsOf(incident(card.incidentId), NOW);
  return store.cards.markShown(card, { ts: '1760550292.303780', digest: 'd', revision, facts, tellAt: NOW });
}

/** @returns whose card it was */
async function showNext(store: Store, now: Date): Promise<string> {
  const card = present(await store.cards.claim(CHANNEL, now));
  await show(store, card);
  return card.incidentId;
}

async function showAll(store: Store): Promise<void> {
  for (const card of await claimAll(store, NOW)) {
    await show(store, card);
  }
}

describe('incidents', () => {
  it('get a card in the channel when they are open or news, and none when they were closed before', () =>
    withStore(async (store) => {
      await store.incidents.observe(incident('open'), { lane: LANES.opened, asOf: NOW });
      await store.incidents.observe(incident('old', { status: 'closed' }), { lane: LANES.opened, asOf: NOW });
      await store.incidents.observe(incident('blink', { status: 'closed' }), {
        lane: LANES.opened,
        asOf: NOW,
        isNews: true,
      });

      const claimed = await claimAll(store, NOW);

      expect(claimed.map((card) => card.incidentId).toSorted()).toEqual(['blink', 'open']);
    }));

  it('make their card due when they say something new, and only then', () =>
    withStore(async (store) => {
      await store.incidents.observe(incident('inc_1', { services: ['a'] }), { lane: LANES.opened, asOf: NOW });
      await showAll(store);

      await store.incidents.observe(incident('inc_1'), { lane: LANES.count, asOf: NOW });
      const unchanged = await claimAll(store, LATER);
      await store.incidents.observe(incident('inc_1', { signal_count: 2 }), { lane: LANES.count, asOf: NOW });
      const changed = await claimAll(store, LATER);

      expect(unchanged).toEqual([]);
      expect(changed).toMatchObject([{ incidentId: 'inc_1', ts: '1760550292.303780' }]);
    }));

  it('keep what an answer leaves out, and take over what it denies', () =>
    withStore(async (store) => {
      await store.incidents.observe(incident('inc_1', { resolution_note: 'x', acknowledged_by: 'ana' }), {
        lane: LANES.opened,
        asOf: NOW,
      });
      await store.incidents.observe(incident('inc_1', { acknowledged_by: null }), { lane: LANES.state, asOf: NOW });

      const known = await store.incidents.find('inc_1');

      expect(known?.incident).toMatchObject({ resolution_note: 'x', acknowledged_by: null });
    }));

  it('are not undone by an answer that was asked for earlier', () =>
    withStore(async (store) => {
      await store.incidents.observe(incident('inc_1'), { lane: LANES.opened, asOf: NOW });
      await store.incidents.observe(incident('inc_1', { status: 'closed' }), { lane: LANES.person, asOf: SOON });

      await store.incidents.observe(incident('inc_1'), { lane: LANES.count, asOf: NOW });

      expect((await store.incidents.find('inc_1'))?.incident.status).toBe('closed');
    }));

  it('are followed by a clock that was set back', () =>
    withStore(async (store) => {
      await store.incidents.observe(incident('inc_1'), { lane: LANES.opened, asOf: LATER });

      await store.incidents.observe(incident('inc_1', { status: 'closed' }), { lane: LANES.state, asOf: NOW });
      await store.incidents.observe(incident('inc_1', { status: 'closed', title: 'new' }), {
        lane: LANES.state,
        asOf: SOON,
      });

      expect((await store.incidents.find('inc_1'))?.incident).toMatchObject({ status: 'closed', title: 'new' });
    }));

  it('may hold text that PostgreSQL would refuse', () =>
    withStore(async (store) => {
      await store.incidents.observe(incident('inc_1', { title: 'nul \0 half \ud83d' }), {
        lane: LANES.opened,
        asOf: NOW,
      });

      expect((await store.incidents.find('inc_1'))?.incident.title).toBe('nul \ufffd half \ufffd');
    }));

  it('remember the first acknowledgement that was confirmed, where the service does not show it', () =>
    withStore(async (store) => {
      await store.incidents.observe(incident('inc_1'), { lane: LANES.opened, asOf: NOW });

      const first = await store.incidents.confirm('inc_1', { kind: 'acknowledge', user: 'ana', at: NOW }, NOW);
      const second = await store.incidents.confirm('inc_1', { kind: 'acknowledge', user: 'ben', at: LATER }, NOW);

      expect([first, second]).toEqual([true, false]);
      expect((await store.incidents.find('inc_1'))?.incident.acknowledged_by).toBe('ana');
    }));

  it('remember a later resolution where the service did not carry out the first, and the first of a race', () =>
    withStore(async (store) => {
      const resolve = (user: string, at: Date, readAt: Date) =>
        store.incidents.confirm('inc_1', { kind: 'resolve', user, at, note: `by ${user}` }, readAt);
      await store.incidents.observe(incident('inc_1'), { lane: LANES.opened, asOf: NOW });

      const taken = [
        await resolve('ana', NOW, NOW),
        await resolve('ben', LATER, NOW),
        await resolve('eve', LATER, LATER),
      ];
      await store.incidents.observe(incident('inc_1', { status: 'closed' }), { lane: LANES.state, asOf: LATER });
      taken.push(await resolve('dan', LATER, LATER));

      expect(taken).toEqual([true, false, true, false]);
      expect((await store.incidents.find('inc_1'))?.incident).toMatchObject({
        resolved_by: 'eve',
        resolution_note: 'by eve',
      });
    }));

  it('that the service no longer knows are not asked for, nor known, until it tells of them again', () =>
    withStore(async (store) => {
      const { incidents } = store;
      await incidents.observe(incident('inc_1'), { lane: LANES.opened, asOf: NOW });
      await showAll(store);

      await incidents.markGone('inc_1');
      const gone = await claimAll(store, LATER);
      const known = [...(await incidents.openIds()), ...(await incidents.knownAmong(['inc_1']))];
      const changed = await incidents.changedAmong([incident('inc_1')]);
      const back = await incidents.observe(incident('inc_1'), { lane: LANES.count, asOf: LATER });

      expect([gone.length, known, changed.length]).toEqual([1, [], 1]);
      expect(back).toMatchObject({ hasChanged: true, known: { isGone: false } });
      expect(await incidents.openIds()).toEqual(['inc_1']);
    }));

  it('forget who acknowledged and closed them when the service opens them again and does not tell', () =>
    withStore(async (store) => {
      const closed = incident('inc_1', { status: 'closed', resolution_note: 'first', title: 'kept' });
      await store.incidents.observe(incident('inc_1'), { lane: LANES.opened, asOf: NOW });
      await store.incidents.confirm('inc_1', { kind: 'acknowledge', user: 'ana', at: NOW }, NOW);
      await store.incidents.observe(closed, { lane: LANES.state, asOf: NOW });

      const { known } = await store.incidents.observe(incident('inc_1'), { lane: LANES.count, asOf: LATER });
      const confirmation = { kind: 'acknowledge', user: 'ben', at: LATER } as const;
      const isFirst = await store.incidents.confirm('inc_1', confirmation, LATER);

      expect(known?.incident).toEqual(incident('inc_1', { title: 'kept' }));
      expect(isFirst).toBe(true);
    }));
});

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

describe('a kept action', () => {
  it('is one action however often its modal arrives, and the last note counts until it is settled', () =>
    withStore(async (store) => {
      const first = await store.pendingActions.keep(action({ source: 'V1', note: 'one' }), NOW).kept;
      const again = await store.pendingActions.keep(action({ source: 'V1', note: 'two' }), NOW).kept;
      await store.pendingActions.settle(first?.id ?? '', entry(), { answer: ANSWER, tellAt: LATER });
      const late = await store.pendingActions.keep(action({ source: 'V1', note: 'three' }), NOW).kept;

      expect(again).toMatchObject({ id: first?.id, note: 'two' });
      expect(late).toBeNull();
      expect(await store.auditLog.list('U1')).toEqual([entry()]);
    }));

  it('is left to the one who delivers it, comes back after a failure, and at once when the service is back', () =>
    withStore(async (store) => {
      const kept = await store.pendingActions.keep(action(), NOW).kept;
      const whileDelivered = await store.pendingActions.claim(NOW);

      await store.pendingActions.postpone(kept?.id ?? '', { error: 'away', retryAt: LATER });
      const tooEarly = await store.pendingActions.claim(NOW);
      await store.pendingActions.makeDue(NOW);
      const due = await store.pendingActions.claim(NOW);

      expect([whileDelivered, tooEarly]).toEqual([null, null]);
      expect(due).toMatchObject({ id: kept?.id, attempts: 1, note: 'done' });
      expect(await store.pendingActions.countWaiting()).toBe(1);
    }));

  it('shows once of each person and kind on the card, oldest first', () =>
    withStore(async (store) => {
      await store.incidents.observe(incident('inc_1'), { lane: LANES.opened, asOf: NOW });
      for (const [second, userName] of ['ana', 'ana', 'ben', 'ana'].entries()) {
        const at = new Date(NOW.getTime() + second * 1_000);
        const kept = await store.pendingActions.keep(action({ userName, slackUserId: userName }), at).kept;
        await store.pendingActions.postpone(kept?.id ?? '', { error: 'away', retryAt: LATER });
      }

      expect((await store.incidents.find('inc_1'))?.waiting).toEqual([
        { kind: 'resolve', user: 'ana' },
        { kind: 'resolve', user: 'ben' },
      ]);
    }));

  it('is cancelled by nobody else, and under no other id', () =>
    withStore(async (store) => {
      const kept = await store.pendingActions.keep(action(), NOW).kept;
      await store.pendingActions.postpone(kept?.id ?? '', { error: 'away', retryAt: LATER });
      const cancel = async (id: string, slackUserId: string) =>
        (await store.pendingActions.cancel(id, slackUserId, NOW)).kind;

      const others = [await cancel(kept?.id ?? '', 'U2'), await cancel(randomUUID(), 'U1'), await cancel('none', 'U1')];

      expect(others).toEqual(['unknown', 'unknown', 'unknown']);
      expect(await cancel(kept?.id ?? '', 'U1')).toBe('cancelled');
    }));

  it('is told by whoever delivered it, else later, to one person after the other', () =>
    withStore(async (store) => {
      const settle = async (slackUserId: string, second: number, tellAt = NOW) => {
        const id = (await store.pendingActions.keep(action({ slackUserId }), NOW).kept)?.id ?? '';
        const settledAt = new Date(NOW.getTime() + second * 1_000);
        await store.pendingActions.settle(id, entry({ at: settledAt }), { answer: ANSWER, tellAt });
        return id;
      };
      const beingTold = await settle('U1', 0, LATER);
      const first = await settle('U2', 1);
      const other = await settle('U3', 2);
      const second = await settle('U2', 3);
      const claim = async (now: Date) => (await store.pendingActions.claimUntold(now, 15)).map(({ id }) => id);

      const claimed = [await claim(NOW), await claim(NOW), await claim(NOW)];
      await store.pendingActions.told([first, other]);
      await store.pendingActions.tellAgain([second], NOW);

      expect(claimed).toEqual([[first, second], [other], []]);
      expect(await claim(NOW)).toEqual([second]);
      await store.pendingActions.told([second]);
      expect(await claim(LATER)).toEqual([beingTold]);
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
