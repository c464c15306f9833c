import { describe, expect, it } from 'vitest';
import { claimAll, incident, LATER, NOW, showAll, withStore } from '../../../test/support/bot-store.ts';
import { addSeconds } from '../../runtime/dates.ts';
import type { Confirmation } from './incident.ts';
import { URGENCY } from './urgency.ts';

const SOON = new Date(NOW.getTime() + 1_000);

/** A write after which the service did not return the incident. */
function write(confirmation: Confirmation, readAt: Date) {
  return { confirmation, readAt, sentAt: readAt, answer: null };
}

describe('incidents', () => {
  it('get a card in the channel when they are open or closed between two polls, and none if they were closed before', () =>
    withStore(async ({ store }) => {
      await store.incidents.observe(incident('open'), { urgency: URGENCY.opened, asOf: NOW });
      await store.incidents.observe(incident('old', { status: 'closed' }), { urgency: URGENCY.opened, asOf: NOW });
      await store.incidents.observe(incident('blink', { status: 'closed' }), {
        urgency: URGENCY.opened,
        asOf: NOW,
        storesClosed: true,
      });

      const claimed = await claimAll(store);

      expect(claimed.map((card) => card.subject).toSorted()).toEqual(['blink', 'open']);
    }));

  it('make their card due only when something visible changes', () =>
    withStore(async ({ store }) => {
      await store.incidents.observe(incident('inc_1', { services: ['a'] }), { urgency: URGENCY.opened, asOf: NOW });
      await showAll(store);

      await store.incidents.observe(incident('inc_1'), { urgency: URGENCY.count, asOf: NOW });
      await store.incidents.observe(incident('inc_1', { updated_at: SOON.toISOString() }), {
        urgency: URGENCY.count,
        asOf: SOON,
      });
      const unchanged = await claimAll(store);
      await store.incidents.observe(incident('inc_1', { signal_count: 2 }), { urgency: URGENCY.count, asOf: NOW });
      const changed = await claimAll(store);

      expect(unchanged).toEqual([]);
      expect(changed).toMatchObject([{ subject: 'inc_1', ts: '1.inc_1' }]);
    }));

  it('keep the fields that an answer leaves out, and clear those that it denies', () =>
    withStore(async ({ store }) => {
      await store.incidents.observe(incident('inc_1', { resolution_note: 'x', acknowledged_by: 'ana' }), {
        urgency: URGENCY.opened,
        asOf: NOW,
      });
      await store.incidents.observe(incident('inc_1', { acknowledged_by: null }), {
        urgency: URGENCY.state,
        asOf: NOW,
      });

      const known = await store.incidents.find('inc_1');

      expect(known?.incident).toMatchObject({ resolution_note: 'x', acknowledged_by: null });
    }));

  it('are not undone by the answer to an earlier request', () =>
    withStore(async ({ store }) => {
      await store.incidents.observe(incident('inc_1'), { urgency: URGENCY.opened, asOf: NOW });
      await store.incidents.observe(incident('inc_1', { status: 'closed' }), { urgency: URGENCY.person, asOf: SOON });

      await store.incidents.observe(incident('inc_1'), { urgency: URGENCY.count, asOf: NOW });

      expect((await store.incidents.find('inc_1'))?.incident.status).toBe('closed');
    }));

  it('take the answer to an earlier request if the service changed the incident after what is stored', () =>
    withStore(async ({ store }) => {
      const shown = (minute: number, acknowledged_by: string | null) =>
        incident('inc_1', { acknowledged_by, updated_at: `2026-01-31T08:0${minute}:00.000Z` });
      await store.incidents.observe(shown(1, 'ana'), { urgency: URGENCY.opened, asOf: NOW });
      const delayedEvent = { urgency: URGENCY.count, asOf: addSeconds(SOON, 1), mayLag: true };
      await store.incidents.observe(shown(2, null), delayedEvent);

      await store.incidents.observe(shown(3, 'ben'), { urgency: URGENCY.count, asOf: SOON });
      await store.incidents.observe(shown(2, null), { urgency: URGENCY.count, asOf: SOON });

      expect((await store.incidents.find('inc_1'))?.incident.acknowledged_by).toBe('ben');
    }));

  it('are not undone by a read that was asked for after a write and carried out before it, but by a service that was set back', () =>
    withStore(async ({ store }) => {
      const shown = (minute: number, lead: string | null) =>
        incident('inc_1', { lead, updated_at: `2026-01-31T08:0${minute}:00.000Z` });
      const leads = async () => (await store.incidents.find('inc_1'))?.incident.lead;
      const askedAt = (seconds: number) => ({ urgency: URGENCY.count, asOf: addSeconds(NOW, seconds) });
      await store.incidents.observe(shown(2, 'ana'), { urgency: URGENCY.person, asOf: NOW });

      await store.incidents.observe(shown(1, null), askedAt(1));
      const [before, changed] = [await leads(), await store.incidents.changedAmong([shown(1, null)])];
      await store.incidents.observe(shown(1, null), askedAt(301));

      expect([before, changed.length, await leads()]).toEqual(['ana', 1, null]);
    }));

  it('are updated although the clock was set back', () =>
    withStore(async ({ store }) => {
      await store.incidents.observe(incident('inc_1'), { urgency: URGENCY.opened, asOf: LATER });

      await store.incidents.observe(incident('inc_1', { status: 'closed' }), { urgency: URGENCY.state, asOf: NOW });
      await store.incidents.observe(incident('inc_1', { status: 'closed', title: 'new' }), {
        urgency: URGENCY.state,
        asOf: SOON,
      });

      expect((await store.incidents.find('inc_1'))?.incident).toMatchObject({ status: 'closed', title: 'new' });
    }));

  it('may contain text that PostgreSQL would refuse', () =>
    withStore(async ({ store }) => {
      await store.incidents.observe(incident('inc_1', { title: 'nul \0 half \ud83d' }), {
        urgency: URGENCY.opened,
        asOf: NOW,
      });

      expect((await store.incidents.find('inc_1'))?.incident.title).toBe('nul \ufffd half \ufffd');
    }));

  it('keep the first confirmed acknowledgement where the service does not show it', () =>
    withStore(async ({ store }) => {
      await store.incidents.observe(incident('inc_1'), { urgency: URGENCY.opened, asOf: NOW });

      const first = await store.incidents.confirm(
        'inc_1',
        write({ kind: 'acknowledge', user: 'ana', at: NOW.toISOString() }, NOW),
      );
      const second = await store.incidents.confirm(
        'inc_1',
        write({ kind: 'acknowledge', user: 'ben', at: LATER.toISOString() }, NOW),
      );

      expect([first.isFirst, second.isFirst]).toEqual([true, false]);
      expect((await store.incidents.find('inc_1'))?.incident.acknowledged_by).toBe('ana');
    }));

  it('keep what was stored between the read and the confirmation of a write', () =>
    withStore(async ({ store }) => {
      const { known: read } = await store.incidents.observe(incident('inc_1'), { urgency: URGENCY.opened, asOf: NOW });
      await store.incidents.observe(incident('inc_1', { title: 'new' }), { urgency: URGENCY.state, asOf: SOON });
      const acknowledgement = { kind: 'acknowledge', user: 'ana', at: NOW.toISOString() } as const;

      const { known } = await store.incidents.confirm('inc_1', write(acknowledgement, NOW), read);

      expect(known?.incident).toMatchObject({ title: 'new', acknowledged_by: 'ana' });
      expect((await store.incidents.find('inc_1'))?.version).toBe(known?.version);
    }));

  it('keep a later resolution where the service did not carry out the first, and the first of a race', () =>
    withStore(async ({ store }) => {
      const resolve = async (user: string, at: Date, readAt: Date) => {
        const confirmation = { kind: 'resolve', user, at: at.toISOString(), note: `by ${user}` } as const;
        return (await store.incidents.confirm('inc_1', write(confirmation, readAt))).isFirst;
      };
      await store.incidents.observe(incident('inc_1'), { urgency: URGENCY.opened, asOf: NOW });

      const taken = [
        await resolve('ana', NOW, NOW),
        await resolve('ben', LATER, NOW),
        await resolve('eve', LATER, LATER),
      ];
      await store.incidents.observe(incident('inc_1', { status: 'closed' }), { urgency: URGENCY.state, asOf: LATER });
      taken.push(await resolve('dan', LATER, LATER));

      expect(taken).toEqual([true, false, true, false]);
      expect((await store.incidents.find('inc_1'))?.incident).toMatchObject({
        resolved_by: 'eve',
        resolution_note: 'by eve',
      });
    }));

  it('show at once what the service returned for a write, unless something newer is stored', () =>
    withStore(async ({ store }) => {
      await store.incidents.observe(incident('inc_1', { signal_count: 5 }), { urgency: URGENCY.opened, asOf: SOON });
      const confirmation = { kind: 'acknowledge', user: 'ana', at: LATER.toISOString() } as const;
      const answer = incident('inc_1', { acknowledged_by: 'Ana', signal_count: 7 });

      const late = await store.incidents.confirm('inc_1', { confirmation, readAt: NOW, sentAt: NOW, answer });
      const { known } = await store.incidents.confirm('inc_1', { confirmation, readAt: NOW, sentAt: LATER, answer });

      expect(late).toMatchObject({ isFirst: true, known: { incident: { acknowledged_by: 'ana', signal_count: 5 } } });
      expect(known?.incident).toMatchObject({ acknowledged_by: 'Ana', signal_count: 7 });
    }));

  it('keep every change, however many processes make one at once', () =>
    withStore(async ({ store }) => {
      await store.incidents.observe(incident('inc_1'), { urgency: URGENCY.opened, asOf: NOW });
      const at = NOW.toISOString();

      await Promise.all([
        store.incidents.confirm('inc_1', write({ kind: 'acknowledge', user: 'ana', at }, NOW)),
        store.incidents.confirm('inc_1', write({ kind: 'resolve', user: 'ben', at, note: 'rolled back' }, NOW)),
        store.incidents.observe(incident('inc_1', { status: 'closed' }), { urgency: URGENCY.state, asOf: SOON }),
        store.incidents.observe(incident('inc_1', { status: 'closed', title: 'new' }), {
          urgency: URGENCY.state,
          asOf: SOON,
        }),
      ]);

      expect((await store.incidents.find('inc_1'))?.incident).toMatchObject({
        status: 'closed',
        title: 'new',
        acknowledged_by: 'ana',
        resolved_by: 'ben',
      });
    }));

  it('are inserted once, however many processes see them first', () =>
    withStore(async ({ store }) => {
      const observation = { urgency: URGENCY.opened, asOf: NOW, isFirst: true };

      const seen = await Promise.all([1, 2, 3].map(() => store.incidents.observe(incident('inc_1'), observation)));

      expect(seen.filter(({ hasChanged }) => hasChanged)).toHaveLength(1);
      expect(seen.every(({ known }) => known?.incident.id === 'inc_1')).toBe(true);
      expect(await claimAll(store)).toHaveLength(1);
    }));

  it('that the service no longer has are neither open nor known until it shows them again', () =>
    withStore(async ({ store }) => {
      const { incidents } = store;
      await incidents.observe(incident('inc_1'), { urgency: URGENCY.opened, asOf: NOW });
      await showAll(store);

      await incidents.markGone('inc_1');
      const gone = await claimAll(store);
      const known = [...(await incidents.openIds()), ...(await incidents.knownAmong(['inc_1']))];
      const changed = await incidents.changedAmong([incident('inc_1')]);
      const back = await incidents.observe(incident('inc_1'), { urgency: URGENCY.count, asOf: LATER });

      expect([gone.length, known, changed.length]).toEqual([1, [], 1]);
      expect(back).toMatchObject({ hasChanged: true, known: { isGone: false } });
      expect(await incidents.openIds()).toEqual(['inc_1']);
    }));

  it('lose their acknowledgement and closing when the service shows them open again', () =>
    withStore(async ({ store }) => {
      const closed = incident('inc_1', { status: 'closed', resolution_note: 'first', title: 'kept' });
      await store.incidents.observe(incident('inc_1'), { urgency: URGENCY.opened, asOf: NOW });
      const acknowledgement = { kind: 'acknowledge', user: 'ana', at: NOW.toISOString() } as const;
      await store.incidents.confirm('inc_1', write(acknowledgement, NOW));
      await store.incidents.observe(closed, { urgency: URGENCY.state, asOf: NOW });

      const { known } = await store.incidents.observe(incident('inc_1'), { urgency: URGENCY.count, asOf: LATER });
      const confirmation = { kind: 'acknowledge', user: 'ben', at: LATER.toISOString() } as const;
      const { isFirst } = await store.incidents.confirm('inc_1', write(confirmation, LATER));

      expect(known?.incident).toEqual(incident('inc_1', { title: 'kept' }));
      expect(isFirst).toBe(true);
    }));
});
