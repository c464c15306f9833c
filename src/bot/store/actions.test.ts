import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { incident, LATER, NOW, withStore } from '../../../test/support/bot-store.ts';
import type { NewAction } from './actions.ts';
import type { AuditEntry } from './audit-log.ts';
import { LANES } from './lanes.ts';

const ANSWER = { text: 'done', blocks: [] };

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
