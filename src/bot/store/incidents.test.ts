import { describe, expect, it } from 'vitest';
import { claimAll, incident, LATER, NOW, showAll, withStore } from '../../../test/support/bot-store.ts';
import { LANES } from './lanes.ts';

const SOON = new Date(NOW.getTime() + 1_000);

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
      await store.incidents.observe(incident('inc_1', { updated_at: SOON.toISOString() }), {
        lane: LANES.count,
        asOf: SOON,
      });
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
