import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  CHANNEL,
  claim,
  duePlace,
  incident,
  LEASE_EXPIRED_MS,
  MINUTE_MS,
  NOW,
  present,
  showAll,
  type TestStore,
  touch,
  untilWaiting,
  withStore,
} from '../../../../test/support/bot-store.ts';
import type { Incident } from '../../../contract/resources.ts';
import { URGENCY } from '../../incident/urgency.ts';
import type { Store } from '../../store.ts';
import { STORM_RULES } from '../storm/storm.ts';

const OLD = CHANNEL;
const NEW = 'C0OTHER';
/** As `subscribe` has it. */
const FIRST_AUDIT_MS = 90_000;

/** The store of a bot that has signed in. */
function withWorkspace(run: (test: TestStore) => Promise<void>): Promise<void> {
  return withStore(async (test) => {
    await test.store.installation.enterWorkspace('T1');
    await run(test);
  });
}

const toOther = (store: Store) => store.subscriptions.subscribe({ channelId: NEW, setting: '#other' });

async function observe(store: Store, ...incidents: readonly Incident[]): Promise<void> {
  for (const each of incidents) {
    await store.incidents.observe(each, { urgency: URGENCY.opened, asOf: NOW });
  }
}

const duePlaces = async (store: Store) => (await store.duePlaces(STORM_RULES)).map(({ placeId }) => placeId);

describe('a channel that is new', () => {
  it('gets a card for each open incident that the service still has', () =>
    withWorkspace(async ({ store }) => {
      await observe(store, incident('open'), incident('gone'));
      await store.incidents.markGone('gone');

      await toOther(store);

      expect(await showAll(store, NEW)).toEqual(['open']);
      expect(await store.subscriptions.list()).toEqual([{ channelId: NEW, setting: '#other' }]);
    }));

  it('gets a card for an incident that arrives while it is subscribed', () =>
    withWorkspace(async ({ store, db }) => {
      const [isHeld, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await observe(store, incident('open'));
      const holding = db.transaction().execute(async (trx) => {
        await sql`
          insert into channels (channel_id) values (${NEW})`.execute(trx);
        isHeld.resolve();
        await release.promise;
      });
      await isHeld.promise;

      const replacing = toOther(store);
      await untilWaiting(db, 1);
      const observing = observe(store, incident('meanwhile'));
      await Promise.race([observing, untilWaiting(db, 2)]);
      release.resolve();
      await Promise.all([holding, replacing, observing]);

      expect(await showAll(store, NEW)).toEqual(['meanwhile', 'open']);
    }));
});

describe('a channel that is no longer subscribed', () => {
  it('keeps its cards true and gets no others', () =>
    withWorkspace(async ({ store }) => {
      await observe(store, incident('posted'));
      await showAll(store, OLD);
      await observe(store, incident('unposted'));

      await toOther(store);
      await showAll(store, NEW);
      const [due, waiting] = [await duePlaces(store), await store.cards.countWaiting()];
      await observe(store, incident('posted', { signal_count: 2 }), incident('unposted', { signal_count: 2 }));

      expect(due).toEqual([]);
      expect(waiting).toMatchObject({ opened: 0 });
      expect(await showAll(store, OLD)).toEqual(['posted']);
    }));

  it('gets no cards when no other channel takes its place', () =>
    withWorkspace(async ({ store }) => {
      await observe(store, incident('unposted'));

      await store.subscriptions.unsubscribeAll();

      expect(await duePlaces(store)).toEqual([]);
      expect(await showAll(store, OLD)).toEqual([]);
    }));

  it('has no running storm', () =>
    withWorkspace(async ({ store }) => {
      await observe(store, ...Array.from({ length: STORM_RULES.incidents + 1 }, (_, index) => incident(`${index}`)));
      await store.storms.advance(OLD, STORM_RULES);
      const before = await duePlaces(store);

      await toOther(store);

      expect(before).toEqual([OLD]);
      expect(await duePlace(store, OLD)).toBeNull();
      expect(await duePlaces(store)).toEqual([NEW]);
      expect(await store.cards.countWaiting()).toMatchObject({ withheld: 0 });
    }));

  it('gets cards for open incidents when it is subscribed again, and none for those that closed meanwhile', () =>
    withWorkspace(async ({ store }) => {
      await observe(store, ...['open', 'closes'].map((id) => incident(id)));
      await toOther(store);
      await observe(store, incident('closes', { status: 'closed' }));

      await store.subscriptions.subscribe({ channelId: OLD, setting: '#incidents' });

      expect(await showAll(store, OLD)).toEqual(['open']);
    }));
});

describe('another workspace', () => {
  it('starts without the messages of the former one, even if channel ids are equal', () =>
    withWorkspace(async ({ store }) => {
      await observe(store, incident('open'), incident('closes'));
      await showAll(store, OLD);
      await observe(store, incident('closes', { status: 'closed' }));

      const isAnother = [await store.installation.enterWorkspace('T1'), await store.installation.enterWorkspace('T2')];
      const between = [await store.subscriptions.list(), await duePlaces(store)];
      await store.subscriptions.subscribe({ channelId: OLD, setting: '#incidents' });

      expect(isAnother).toEqual([false, true]);
      expect(between).toEqual([[], []]);
      expect(await claim(store, OLD)).toMatchObject({ subject: 'open', ts: null });
      expect(await showAll(store, OLD)).toEqual([]);
    }));
});

describe('audits', () => {
  const EVERY_MS = 90_000;

  it('are due some time after the subscription, then again and again, each for one process', () =>
    withStore(async ({ store, advance }) => {
      const ids = async () => (await store.audits.claimAudits(EVERY_MS)).map(({ placeId }) => placeId);

      const early = await ids();
      await advance(FIRST_AUDIT_MS);
      const claims = await Promise.all([ids(), ids(), ids()]);
      const again = await ids();
      await advance(EVERY_MS);

      expect([early, claims.flat(), again]).toEqual([[], [CHANNEL], []]);
      expect(await ids()).toEqual([CHANNEL]);
    }));

  it('come when they are requested, once, and look into the requested threads', () =>
    withStore(async ({ store, advance }) => {
      await store.audits.recordAudited(CHANNEL, NOW);
      await store.audits.requestAudit(CHANNEL, 10_000, ['1.1', '1.2']);
      await store.audits.requestAudit(CHANNEL, 30_000, ['1.2']);

      const early = await store.audits.claimAudits(EVERY_MS);
      await advance(10_000);
      const [due] = await store.audits.claimAudits(EVERY_MS);
      await advance(30_000);

      expect(early).toEqual([]);
      expect(due).toMatchObject({ placeId: CHANNEL, auditedUntil: null });
      expect(due?.threads.toSorted()).toEqual(['1.1', '1.2']);
      expect(await store.audits.claimAudits(EVERY_MS)).toEqual([]);
    }));

  it('begin where the last one ended', () =>
    withStore(async ({ store, advance }) => {
      await store.audits.recordAudited(CHANNEL, NOW);
      await advance(FIRST_AUDIT_MS);

      expect(await store.audits.claimAudits(EVERY_MS)).toMatchObject([{ auditedUntil: NOW, threads: [] }]);
    }));

  it('of a place without a subscription come only when they are requested', () =>
    withStore(async ({ store, db, advance }) => {
      await sql`insert into channels (channel_id) values ('U1')`.execute(db);
      const people = async () =>
        (await store.audits.claimAudits(EVERY_MS)).filter(({ placeId }) => placeId === 'U1').length;

      await advance(60 * MINUTE_MS);
      const unasked = await people();
      await store.audits.requestAudit('U1', 0);
      const asked = await people();
      await store.audits.recordAudited('U1', NOW);
      await advance(60 * MINUTE_MS);

      expect([unasked, asked, await people()]).toEqual([0, 1, 0]);
    }));

  it('of a place without a subscription come as late as the last request, also if it is made during one', () =>
    withStore(async ({ store, db, advance }) => {
      await sql`insert into channels (channel_id) values ('U1')`.execute(db);
      const counts: number[] = [];
      const audit = async (during: () => Promise<void> = async () => undefined) => {
        const due = (await store.audits.claimAudits(EVERY_MS)).find(({ placeId }) => placeId === 'U1');
        await during();
        await (due && store.audits.recordAudited('U1', due.now, [], due.nextAt));
        counts.push(due === undefined ? 0 : 1);
      };
      const request = () => store.audits.requestAudit('U1', 2 * MINUTE_MS);

      await request();
      await advance(MINUTE_MS);
      await request();
      await advance(MINUTE_MS);
      await audit();
      await advance(MINUTE_MS);
      await audit(request);
      await advance(2 * MINUTE_MS);
      await audit();
      await advance(60 * MINUTE_MS);
      await audit();

      expect(counts).toEqual([0, 1, 1, 0]);
    }));

  it('come again with their threads if the process that claimed them died', () =>
    withStore(async ({ store, advance }) => {
      await store.audits.requestAudit(CHANNEL, 0, ['1.1', '1.2']);
      await store.audits.claimAudits(EVERY_MS);
      await advance(60 * MINUTE_MS);

      const [again] = await store.audits.claimAudits(EVERY_MS);
      await store.audits.recordAudited(CHANNEL, NOW, ['1.1']);
      await advance(60 * MINUTE_MS);
      const [left] = await store.audits.claimAudits(EVERY_MS);

      expect([again?.threads, left?.threads]).toEqual([['1.1', '1.2'], ['1.2']]);
    }));

  it('are not silenced by a clock that is set back', () =>
    withStore(async ({ store, advance }) => {
      await advance(48 * 60 * MINUTE_MS);
      await store.audits.claimAudits(EVERY_MS);
      await advance(-48 * 60 * MINUTE_MS);

      expect(await store.audits.claimAudits(EVERY_MS)).toHaveLength(1);
    }));
});

describe('the expected messages of a channel', () => {
  it('have the ts of each card, whether it is being delivered, and whether it is required', () =>
    withStore(async ({ store }) => {
      await observe(store, incident('open'), incident('closes'));
      await showAll(store);
      await observe(store, incident('closes', { status: 'closed' }));
      await showAll(store);
      await observe(store, incident('claimed'));
      await claim(store);

      const believed = await store.audits.believed(CHANNEL, 0);

      const card = { kind: 'card', isBusy: false };
      expect(believed.toSorted((one, other) => (one.subject < other.subject ? -1 : 1))).toEqual([
        { ...card, subject: 'claimed', ts: null, isBusy: true, isRequired: true },
        { ...card, subject: 'closes', ts: '1.closes', isRequired: false },
        { ...card, subject: 'open', ts: '1.open', isRequired: true },
      ]);
    }));

  it('do not mark cards as required that a storm message replaces', () =>
    withStore(async ({ store }) => {
      await observe(store, incident('a'), incident('b'));
      await store.storms.advance(CHANNEL, { ...STORM_RULES, incidents: 1 });

      const believed = await store.audits.believed(CHANNEL, 0);

      expect(believed.filter(({ kind }) => kind === 'card').map(({ isRequired }) => isRequired)).toEqual([
        false,
        false,
      ]);
      expect(believed.filter(({ kind }) => kind === 'storm')).toMatchObject([{ ts: null, isBusy: false }]);
    }));

  it('are corrected, and the message becomes due with its new ts', () =>
    withStore(async ({ store }) => {
      await observe(store, incident('a'));
      await showAll(store);
      const a = { kind: 'card', subject: 'a' } as const;

      await store.audits.correct(CHANNEL, a, { from: '1.a', to: '2.2' });

      expect(await claim(store)).toMatchObject({ subject: 'a', ts: '2.2', digest: null });
    }));

  it('are not corrected if the ts has changed meanwhile, or while the message is being delivered', () =>
    withStore(async ({ store, advance }) => {
      await observe(store, incident('a'));
      await showAll(store);
      const a = { kind: 'card', subject: 'a' } as const;

      await store.audits.correct(CHANNEL, a, { from: '1.former', to: '2.2' });
      const unchanged = await claim(store);
      await touch(store, 'a');
      const claimed = present(await claim(store));
      await store.audits.correct(CHANNEL, a, { from: '1.a', to: '2.2' });
      await advance(LEASE_EXPIRED_MS);

      expect([unchanged, claimed.ts]).toEqual([null, '1.a']);
      expect(await claim(store)).toMatchObject({ ts: '1.a' });
    }));
});
