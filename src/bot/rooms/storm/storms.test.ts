import { describe, expect, it } from 'vitest';
import {
  CHANNEL,
  claim,
  claimAll,
  duePlace,
  incident,
  LEASE_EXPIRED_MS,
  MINUTE_MS,
  NOW,
  present,
  show,
  showAll,
  touch,
  withStore,
} from '../../../../test/support/bot-store.ts';
import type { Incident } from '../../../contract/resources.ts';
import { URGENCY } from '../../incident/urgency.ts';
import type { Message } from '../../messages/message.ts';
import type { Store } from '../../store.ts';
import { STORM_RULES, type StormKey } from './storm.ts';

const RULES = { ...STORM_RULES, incidents: 1, calmIncidents: 0, leftOpen: 1 };
/** Neither counts as new any more. */
const CALM_MS = STORM_RULES.calmMs + MINUTE_MS;

async function observe(store: Store, ...incidents: readonly Incident[]): Promise<void> {
  for (const each of incidents) {
    await store.incidents.observe(each, { urgency: URGENCY.opened, asOf: NOW });
  }
}

async function openTwo(store: Store): Promise<void> {
  await observe(store, incident('a'), incident('b'));
}

const kinds = (messages: readonly Message[]) => messages.map(({ kind }) => kind).toSorted();

async function startStorm(store: Store): Promise<Message<'storm'>> {
  await openTwo(store);
  return advanceAndClaim(store);
}

async function advanceAndClaim(store: Store): Promise<Message<'storm'>> {
  await store.storms.advance(CHANNEL, RULES);
  const storm = present(await claim(store));
  if (storm.kind !== 'storm') {
    throw new Error(`a ${storm.kind} was claimed before the storm`);
  }
  return storm;
}

describe('a storm', () => {
  it('has one message in place of the cards of its incidents', () =>
    withStore(async ({ store }) => {
      const storm = await startStorm(store);

      expect(storm).toMatchObject({ kind: 'storm', ts: null });
      expect(await claimAll(store)).toEqual([]);
      expect(await store.cards.countWaiting()).toMatchObject({ opened: 0, withheld: 2 });
      expect((await store.storms.members(storm.subject, { offset: 0, limit: 9 })).toSorted()).toEqual(['a', 'b']);
      expect(await store.storms.countMembers(storm.subject)).toBe(2);
    }));

  it('does not start below the limit', () =>
    withStore(async ({ store }) => {
      await openTwo(store);

      await store.storms.advance(CHANNEL, { ...RULES, incidents: 2 });

      expect(kinds(await claimAll(store))).toEqual(['card', 'card']);
    }));

  it('is one storm, however many processes start it', () =>
    withStore(async ({ store, db }) => {
      await openTwo(store);

      await Promise.all([1, 2, 3].map(() => store.storms.advance(CHANNEL, RULES)));

      expect(await db.selectFrom('messages').select('id').where('kind', '=', 'storm').execute()).toHaveLength(1);
    }));

  it('gathers incidents that open while it runs, and shows them', () =>
    withStore(async ({ store }) => {
      const storm = await startStorm(store);
      await show(store, storm, '1.storm');

      await observe(store, incident('c'));

      expect(kinds(await claimAll(store))).toEqual(['storm']);
      expect(await store.storms.countMembers(storm.subject)).toBe(3);
    }));

  it('gathers an incident that opened at the moment it started, and shows it', () =>
    withStore(async ({ store, db }) => {
      const storm = await startStorm(store);
      await show(store, storm, '1.storm');
      await observe(store, incident('c'));
      await showAll(store);
      await db // as if its card was stored by a process that did not see the storm yet
        .updateTable('messages')
        .set({ storm_id: null, is_withheld: false })
        .where('subject', '=', 'c')
        .execute();

      await store.storms.advance(CHANNEL, RULES);

      expect(kinds(await claimAll(store))).toEqual(['storm']);
      expect(await store.storms.countMembers(storm.subject)).toBe(3);
    }));

  it('calms down while another process edits its message', () =>
    withStore(async ({ store, advance }) => {
      const storm = await startStorm(store);
      await advance(CALM_MS);
      await show(store, present(await claim(store)), '1.storm');
      await observe(store, incident('a', { signal_count: 9 }));
      const held = present(await claim(store));

      await store.storms.advance(CHANNEL, RULES);
      const calm = await store.storms.find(storm.subject);
      await show(store, held, '1.storm');

      expect(calm?.calmAt).toBeInstanceOf(Date);
      expect(await store.storms.find(storm.subject)).toEqual(calm);
      expect(await claim(store)).toMatchObject({ kind: 'storm' });
    }));

  it('gives new incidents their own card once it is calm, and ends when few of its own are open', () =>
    withStore(async ({ store, advance }) => {
      const { subject } = await startStorm(store);
      await advance(CALM_MS);
      await store.storms.advance(CHANNEL, RULES);
      const calm = await store.storms.find(subject);
      await observe(store, incident('later'));
      const cards = (await claimAll(store)).filter(({ kind }) => kind === 'card').map((card) => card.subject);

      await observe(store, incident('a', { status: 'closed' }));
      await store.storms.advance(CHANNEL, RULES);

      expect(calm).toMatchObject({ calmAt: expect.any(Date), endedAt: null });
      expect(cards).toEqual(['later']);
      expect(await store.storms.find(subject)).toMatchObject({ endedAt: expect.any(Date) });
      expect((await claimAll(store)).filter(({ kind }) => kind === 'card').map((card) => card.subject)).toEqual(['b']);
      expect(await store.cards.countWaiting()).toMatchObject({ withheld: 0 });
    }));

  it('leaves a card to an incident that opens again after its end', () =>
    withStore(async ({ store, advance }) => {
      await startStorm(store);
      await store.incidents.markGone('a');
      await observe(store, incident('b', { status: 'closed' }));
      await advance(CALM_MS);
      await store.storms.advance(CHANNEL, RULES);
      const atEnd = (await claimAll(store)).filter(({ kind }) => kind === 'card');

      for (const id of ['a', 'b']) {
        await store.incidents.observe(incident(id, { signal_count: 7 }), {
          urgency: URGENCY.state,
          asOf: new Date(NOW.getTime() + CALM_MS),
        });
      }

      expect(atEnd).toEqual([]);
      expect((await claimAll(store)).map(({ subject }) => subject).toSorted()).toEqual(['a', 'b']);
      expect((await store.cards.countWaiting()).withheld).toBe(0);
    }));

  it('takes a card from a process that held it for too long', () =>
    withStore(async ({ store, advance }) => {
      await openTwo(store);
      const late = present(await claim(store));
      await advance(LEASE_EXPIRED_MS);

      await store.storms.advance(CHANNEL, RULES);

      const attempt = { id: '00000000-0000-4000-8000-000000000001', firstAt: NOW, lastAt: NOW };
      expect(await store.messages.beginAttempt(late, attempt, undefined)).toBe(false);
      expect(await show(store, late)).toBeNull();
    }));

  it('leaves cards alone that are posted or may have been', () =>
    withStore(async ({ store }) => {
      await openTwo(store);
      const tried = present(await claim(store));
      const attempt = { id: '00000000-0000-4000-8000-000000000001', firstAt: NOW, lastAt: NOW };
      await store.messages.beginAttempt(tried, attempt, undefined);
      await store.messages.release(tried, { error: 'no answer', retryMs: 0, isRefused: false });
      await show(store, present(await claim(store)));
      await touch(store, 'a');
      await touch(store, 'b');

      await store.storms.advance(CHANNEL, RULES);

      expect(kinds(await claimAll(store))).toEqual(['card', 'card', 'storm']);
    }));

  it('counts the incidents whose cards were posted before it, and the steps that their threads announced', () =>
    withStore(async ({ store, db }) => {
      await openTwo(store);
      await show(store, present(await claim(store)), '1.1');
      const sent = [{ name: 'step 0' as const, at: NOW.toISOString() }];
      await db
        .updateTable('messages')
        .set({ data: JSON.stringify({ reminded: { sent, acknowledgedWith: null } }) })
        .where('ts', '=', '1.1')
        .execute();

      const storm = await advanceAndClaim(store);
      expect(await store.storms.countMembers(storm.subject)).toBe(2);
      expect(await store.storms.open(storm.subject)).toHaveLength(2);
      expect(storm.data).toMatchObject({ reminded: { sent } });
      expect(await store.cards.countWaiting()).toMatchObject({ withheld: 1 });
    }));

  it('keeps its channel on the list of places while it runs', () =>
    withStore(async ({ store, advance }) => {
      await startStorm(store);
      await advance(LEASE_EXPIRED_MS);
      await showAll(store);

      expect(await duePlace(store)).toMatchObject({ stormyChannelId: CHANNEL });
    }));
});

describe('the summary of a storm', () => {
  it('counts what shares a failure, else what shares a service, in the order of the list', () =>
    withStore(async ({ store }) => {
      const opened = (minute: number) => new Date(NOW.getTime() + minute * MINUTE_MS).toISOString();
      const disk = (host: string, minute: number) =>
        incident(`full-${host}`, { root_service: host, title: `${host}: disk 93 % full`, opened_at: opened(minute) });
      await observe(
        store,
        incident('p1', { opened_at: opened(0), acknowledged_by: 'ana', title: 'p1 fails' }),
        incident('p2', { opened_at: opened(9), title: 'charges fail' }),
        { ...disk('host-1', 5), title: 'host-1: disk 97 % full' },
        disk('host-2', 6),
        disk('host-12', 7),
        incident('c1', { root_service: 'checkout', opened_at: opened(1), severity: 'critical' }),
      );
      const { subject } = await advanceAndClaim(store);
      const storm = present(await store.storms.find(subject));

      const { groups } = await store.storms.summary(storm);

      const failure = { by: 'failure', value: 'disk # % full' };
      expect(groups.map(({ named, ...group }) => ({ ...group, named: named.map(({ id }) => id) }))).toEqual([
        {
          key: {
            by: 'service',
            value: 'checkout',
          },
          incidents: 1,
          open: 1,
          unacknowledged: 1,
          services: 1,
          named: ['c1'],
        },
        {
          key: {
            by: 'service',
            value: 'payments',
          },
          incidents: 2,
          open: 2,
          unacknowledged: 1,
          services: 1,
          named: ['p1', 'p2'],
        },
        {
          key: failure,
          incidents: 3,
          open: 3,
          unacknowledged: 3,
          services: 3,
          named: ['full-host-1', 'full-host-2', 'full-host-12'],
        },
      ]);
      const of = (key: StormKey | null, limit = 9) => store.storms.unacknowledged(subject, key, limit);
      expect(await of({ by: 'service', value: 'payments' })).toEqual(['p2']);
      expect(await of({ by: 'failure', value: 'disk # % full' }, 2)).toEqual(['full-host-1', 'full-host-2']);
      expect(await of(null)).toEqual(['c1', 'full-host-1', 'full-host-2', 'full-host-12', 'p2']);
      expect(await store.storms.members(subject, { offset: 1, limit: 3 })).toEqual([
        'p1',
        'full-host-1',
        'full-host-2',
      ]);
    }));

  it('begins with the worst, also if it is newer than others and its service has fewer, as Home does', () =>
    withStore(async ({ store }) => {
      const opened = (minute: number) => new Date(NOW.getTime() + minute * MINUTE_MS).toISOString();
      await observe(
        store,
        incident('w1', { severity: 'warning', opened_at: opened(0) }),
        incident('w2', { severity: 'warning', opened_at: opened(1) }),
        incident('u1', { opened_at: opened(0) }),
        incident('c1', { severity: 'critical', root_service: 'checkout', opened_at: opened(3) }),
        incident('c2', { severity: 'critical', root_service: 'ads', opened_at: opened(2) }),
      );
      const { subject } = await advanceAndClaim(store);

      const { groups } = await store.storms.summary(present(await store.storms.find(subject)));
      const home = await store.homes.incidents({ name: 'ana', ids: [], groups: [] }, 9);

      expect(groups.map(({ key }) => key.value)).toEqual(['ads', 'checkout', 'payments']);
      expect(await store.storms.members(subject, { offset: 0, limit: 9 })).toEqual(['c2', 'c1', 'w1', 'w2', 'u1']);
      expect(home.untaken.incidents.map(({ id }) => id)).toEqual(['c2', 'c1', 'w1', 'w2', 'u1']);
    }));
});
