import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  claim,
  incident,
  LEASE_EXPIRED_MS,
  MINUTE_MS,
  NOW,
  openAndClaim,
  present,
  show,
  withStore,
} from '../../../test/support/bot-store.ts';
import { ANSWER, entry, keep, postpone, request } from '../../../test/support/kept-actions.ts';
import { URGENCY } from '../incident/urgency.ts';

describe('a kept action', () => {
  it('is sent by the process that kept it, and is one action however often its interaction arrives', () =>
    withStore(async ({ store }) => {
      const first = await store.actions.keep(request({ source: 'V1', note: 'one' }), null);
      const again = await store.actions.keep(request({ source: 'V1', note: 'two' }), null);

      expect(first).toMatchObject({ kind: 'new', action: { note: 'one', attempts: 0 } });
      expect(again).toEqual({ kind: 'repeated', note: 'one' });
      expect(await store.actions.claim()).toBeNull();
    }));

  it('is one action also when its interaction arrives several times at once', () =>
    withStore(async ({ store, db }) => {
      const kept = await Promise.all(
        Array.from({ length: 5 }, () => store.actions.keep(request({ source: 'V1' }), null)),
      );

      expect(kept.filter(({ kind }) => kind === 'new')).toHaveLength(1);
      expect(await db.selectFrom('actions').select('id').execute()).toHaveLength(1);
    }));

  it('takes the note of a repeated submission while it waits for a retry, and not after it is settled', () =>
    withStore(async ({ store }) => {
      const { id, ...first } = await keep(store, { source: 'V1', note: 'one' });
      await postpone(store, { ...first, id });
      const again = await store.actions.keep(request({ source: 'V1', note: 'two' }), null);
      await store.actions.settle({ ...first, id, attempts: 1 }, entry(), ANSWER, MINUTE_MS);
      const late = await store.actions.keep(request({ source: 'V1', note: 'three' }), null);

      expect(again).toMatchObject({ kind: 'new', action: { id, note: 'two', attempts: 1 } });
      expect(late).toEqual({ kind: 'repeated', note: 'two' });
      expect(await store.auditLog.list('U1')).toMatchObject([{ outcome: 'kept' }, entry()]);
    }));

  it('makes the card of its incident due when it is postponed, settled or cancelled, and only then', () =>
    withStore(async ({ store, advance }) => {
      await show(store, await openAndClaim(store));
      const due: boolean[] = [];
      const draw = async () => {
        const card = await claim(store);
        due.push(card !== null);
        await (card === null ? null : show(store, card));
      };
      const atOnce = await keep(store, { incidentId: 'a' });
      await store.actions.settle(atOnce, entry(), ANSWER, MINUTE_MS);
      await draw();
      const settled = await keep(store, { incidentId: 'a' });
      await postpone(store, settled);
      await draw();
      await store.actions.settle({ ...settled, attempts: 1 }, entry(), ANSWER, MINUTE_MS);
      await draw();
      const cancelled = await keep(store, { incidentId: 'a' });
      await advance(LEASE_EXPIRED_MS);
      await store.actions.cancel(cancelled.id, 'U1', false);
      await draw();

      expect(due).toEqual([false, true, true, true]);
    }));

  it('belongs to the process that sends it, returns after a failure, and at once when the service is back', () =>
    withStore(async ({ store }) => {
      const action = await keep(store);
      const { id } = action;
      const whileSent = await store.actions.claim();

      await postpone(store, action);
      const tooEarly = await store.actions.claim();
      await store.actions.makeDue();
      const due = await store.actions.claim();

      expect([whileSent, tooEarly]).toEqual([null, null]);
      expect(due).toMatchObject({ id, attempts: 1, note: 'done' });
      expect(await store.actions.countWaiting()).toBe(1);
    }));

  it('is sent by another process if its own died, and counts as tried', () =>
    withStore(async ({ store, advance }) => {
      const { id } = await keep(store);

      await advance(LEASE_EXPIRED_MS);

      expect(await store.actions.claim()).toMatchObject({ id, attempts: 1 });
    }));

  it('is shown once per person and kind on the card, oldest first', () =>
    withStore(async ({ store, advance }) => {
      await store.incidents.observe(incident('inc_1'), { urgency: URGENCY.opened, asOf: NOW });
      for (const userName of ['ana', 'ana', 'ben', 'ana']) {
        await postpone(store, await keep(store, { slackUserId: userName }, userName));
        await advance(1_000);
      }

      expect((await store.incidents.find('inc_1'))?.waiting).toEqual([
        { kind: 'resolve', user: 'ana' },
        { kind: 'resolve', user: 'ben' },
      ]);
    }));

  it('is cancelled only by its own person and id', () =>
    withStore(async ({ store }) => {
      const action = await keep(store);
      const { id } = action;
      await postpone(store, action);
      const cancel = async (actionId: string, slackUserId: string) =>
        (await store.actions.cancel(actionId, slackUserId, false)).kind;

      const others = [await cancel(id, 'U2'), await cancel(randomUUID(), 'U1'), await cancel('none', 'U1')];

      expect(others).toEqual(['unknown', 'unknown', 'unknown']);
      expect(await cancel(id, 'U1')).toBe('cancelled');
      expect(await cancel(id, 'U1')).toBe('settled');
      expect(await store.auditLog.list('U1')).toMatchObject([
        { outcome: 'kept' },
        entry({ userName: null, outcome: 'cancelled' }),
      ]);
    }));

  it('is not cancelled while it is sent', () =>
    withStore(async ({ store }) => {
      const { id } = await keep(store);

      expect(await store.actions.cancel(id, 'U1', false)).toEqual({ kind: 'being-sent' });
      expect(await store.auditLog.list('U1')).toEqual([]);
    }));

  it('is compared with actions on the same incident that were done since', () =>
    withStore(async ({ store }) => {
      const waiting = await keep(store);
      const ofOther = await keep(store, { slackUserId: 'U2' });
      const onAnother = await keep(store, { incidentId: 'inc_2' });
      const before = await store.actions.standing(waiting);
      const later = await keep(store, { note: 'again' });
      await store.actions.settle(later, entry(), ANSWER, 0);

      expect(before).toEqual([]);
      expect(await store.actions.standing(waiting)).toEqual([{ action: later, at: expect.any(Date), isNewer: true }]);
      expect(await store.actions.standing(ofOther)).toMatchObject([{ action: { id: later.id }, isNewer: true }]);
      expect(await store.actions.standing(onAnother)).toEqual([]);
    }));

  it('on a service or an integration is compared with actions on the same target', () =>
    withStore(async ({ store }) => {
      const asked = { slackUserId: 'U1', channelId: null, origin: 'rules', incidentId: null } as const;
      const target = { target: 'service', value: 'payments' } as const;
      const end = { ...asked, ...target, kind: 'unmute', muteId: 'mute_1' } as const;
      const kept = await Promise.all([
        store.actions.keep({ ...end, source: 'first' }, null),
        store.actions.keep({ ...end, source: 'of another', value: 'ledger' }, null),
      ]);
      const again = await store.actions.keep({ ...end, source: 'second' }, null);
      const [first, ofAnother, second] = [...kept, again].map((each) => (each.kind === 'new' ? each.action : null));
      await store.actions.settle(present(second), entry({ incidentId: null }), ANSWER, 0);

      expect(await store.actions.standing(present(first))).toMatchObject([{ action: { id: second?.id } }]);
      expect(await store.actions.standing(present(ofAnother))).toEqual([]);
    }));

  it('is written only by its lease holder, and not after it is settled', () =>
    withStore(async ({ store, advance }) => {
      const former = await keep(store);
      await advance(LEASE_EXPIRED_MS);
      const holder = present(await store.actions.claim());

      const ofFormer = [
        await store.actions.standing(former),
        await postpone(store, former),
        await store.actions.settle(former, entry(), ANSWER, 0),
      ];
      const ofHolder = [await store.actions.standing(holder), await store.actions.settle(holder, entry(), ANSWER, 0)];

      expect(ofFormer).toEqual([null, false, false]);
      expect(ofHolder).toEqual([[], true]);
      expect(await store.actions.settle(holder, entry(), ANSWER, 0)).toBe(false);
      expect(await store.auditLog.list('U1')).toHaveLength(1);
    }));

  it('stays with a process that renews its lease, and is taken over within eight seconds if it does not', () =>
    withStore(async ({ store, advance }) => {
      const { id } = await keep(store);
      await advance(7_000);
      await store.actions.renew([{ id, attempts: 0 }]);
      await advance(7_000);
      const whileRenewed = await store.actions.claim();
      await advance(1_000);

      expect(whileRenewed).toBeNull();
      expect(await store.actions.claim()).toMatchObject({ id, attempts: 1 });
    }));

  it('is not kept from a third process by one that was frozen and has lost its lease', () =>
    withStore(async ({ store, advance }) => {
      const frozen = await keep(store);
      await advance(8_001);
      expect.assert((await store.actions.claim()) !== null);
      await advance(7_000);

      await store.actions.renew([frozen]);
      await advance(1_001);

      expect(await store.actions.claim()).toMatchObject({ id: frozen.id, attempts: 2 });
    }));

  it('keeps the name that the service is given', () =>
    withStore(async ({ store }) => {
      const action = await keep(store);
      await store.actions.setUserName(action.id, 'ana');
      await postpone(store, action, 0);

      expect(await store.actions.claim()).toMatchObject({ userName: 'ana' });
    }));
});
