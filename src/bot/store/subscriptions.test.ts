import { type Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { CHANNEL, incident, LATER, NOW, withStore } from '../../../test/support/bot-store.ts';
import type { Incident } from '../../contract/resources.ts';
import { STORM_RULES } from '../domain/storm.ts';
import { factsOf } from '../views/what-changed.ts';
import { LANES } from './lanes.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

const OLD = CHANNEL;
const NEW = 'C0OTHER';

/** The store of a bot that has signed in. */
function withWorkspace(run: Parameters<typeof withStore>[0]): Promise<void> {
  return withStore(async (store, db) => {
    await store.subscriptions.enterWorkspace('T1');
    await run(store, db);
  });
}

const toOther = (store: Store) => store.subscriptions.replace({ channelId: NEW, setting: '#other' });

async function observe(store: Store, ...incidents: readonly Incident[]): Promise<void> {
  for (const each of incidents) {
    await store.incidents.observe(each, { lane: LANES.opened, asOf: NOW });
  }
}

/** Shows all that is due in the channel. */
async function showAll(store: Store, channelId: string): Promise<string[]> {
  const shown: string[] = [];
  for (;;) {
    const card = await store.cards.claim(channelId, LATER);
    if (card === null) {
      return shown.toSorted();
    }
    const { incidentId } = card;
    const revision = (await store.incidents.find(incidentId))?.revision ?? '0';
    const facts = factsOf(incident(incidentId), NOW);
    await store.cards.markShown(card, { ts: `1.${incidentId}`, digest: 'd', revision, facts, tellAt: LATER });
    shown.push(incidentId);
  }
}

const dueChannels = async (store: Store) =>
  (await store.dueChannels(LATER, STORM_RULES)).map(({ channelId }) => channelId);

describe('a channel that is new', () => {
  it('gets a card for what is open, and for nothing that the service no longer knows', () =>
    withWorkspace(async (store) => {
      await observe(store, incident('open'), incident('gone'));
      await store.incidents.markGone('gone');

      await toOther(store);

      expect(await showAll(store, NEW)).toEqual(['open']);
      expect(await store.subscriptions.list()).toEqual([{ channelId: NEW, setting: '#other' }]);
    }));

  it('gets a card for what comes while it is made the one', () =>
    withWorkspace(async (store, db) => {
      const [isHeld, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await observe(store, incident('open'));
      const holding = db.transaction().execute(async (trx) => {
        await sql`
          insert into cards (incident_id, channel_id, desired_revision, lane)
          values ('open', ${NEW}, 1, ${LANES.opened})`.execute(trx);
        isHeld.resolve();
        await release.promise;
      });
      await isHeld.promise;

      const replacing = toOther(store);
      await isWaiting(db, 1);
      const observing = observe(store, incident('meanwhile'));
      await Promise.race([observing, isWaiting(db, 2)]);
      release.resolve();
      await Promise.all([holding, replacing, observing]);

      expect(await showAll(store, NEW)).toEqual(['meanwhile', 'open']);
    }));
});

describe('a channel that is given up', () => {
  it('keeps the cards that are there true, and gets no other', () =>
    withWorkspace(async (store) => {
      await observe(store, incident('posted'));
      await showAll(store, OLD);
      await observe(store, incident('unposted'));

      await toOther(store);
      await showAll(store, NEW);
      const [due, waiting] = [await dueChannels(store), await store.cards.countWaiting()];
      await observe(store, incident('posted', { signal_count: 2 }), incident('unposted', { signal_count: 2 }));

      expect(due).toEqual([]);
      expect(waiting).toMatchObject({ opened: 0 });
      expect(await showAll(store, OLD)).toEqual(['posted']);
    }));

  it('gets no cards either when no other takes its place', () =>
    withWorkspace(async (store) => {
      await observe(store, incident('unposted'));

      await store.subscriptions.clear();

      expect(await dueChannels(store)).toEqual([]);
      expect(await showAll(store, OLD)).toEqual([]);
    }));

  it('has no storm any more', () =>
    withWorkspace(async (store) => {
      await observe(store, ...Array.from({ length: STORM_RULES.incidents + 1 }, (_, index) => incident(`${index}`)));
      await store.storms.advance(OLD, NOW, STORM_RULES);
      const before = await dueChannels(store);

      await toOther(store);

      expect(before).toEqual([OLD]);
      expect(await store.storms.claim(OLD, LATER, [])).toBeNull();
      expect(await dueChannels(store)).toEqual([NEW]);
      expect(await store.cards.countWaiting()).toMatchObject({ withheld: 0 });
    }));

  it('gets a card for what is open when it is taken again, and none for what closed meanwhile', () =>
    withWorkspace(async (store) => {
      await observe(store, ...['open', 'closes'].map((id) => incident(id)));
      await toOther(store);
      await observe(store, incident('closes', { status: 'closed' }));

      await store.subscriptions.replace({ channelId: OLD, setting: '#incidents' });

      expect(await showAll(store, OLD)).toEqual(['open']);
    }));
});

describe('another workspace', () => {
  it('begins without what was posted in the one before, also where channels have equal ids', () =>
    withWorkspace(async (store) => {
      await observe(store, incident('open'), incident('closes'));
      await showAll(store, OLD);
      await observe(store, incident('closes', { status: 'closed' }));

      const isAnother = [
        await store.subscriptions.enterWorkspace('T1'),
        await store.subscriptions.enterWorkspace('T2'),
      ];
      const between = [await store.subscriptions.list(), await dueChannels(store)];
      await store.subscriptions.replace({ channelId: OLD, setting: '#incidents' });

      expect(isAnother).toEqual([false, true]);
      expect(between).toEqual([[], []]);
      expect(await store.cards.claim(OLD, LATER)).toMatchObject({ incidentId: 'open', ts: null });
      expect(await showAll(store, OLD)).toEqual([]);
    }));
});

/** Until so many wait for a lock. */
async function isWaiting(db: Kysely<Tables>, many: number): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    if (rows.length >= many) {
      return;
    }
  }
}
