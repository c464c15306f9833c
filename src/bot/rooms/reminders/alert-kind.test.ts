import { expect, it } from 'vitest';
import { openAndClaim, present, withStore } from '../../../../test/support/bot-store.ts';
import type { WaitingAction } from '../../incident/incident.ts';
import type { IncidentId } from '../../slack/identifiers.ts';
import { createAlertKind } from './alert-kind.ts';

it('waits while an action is pending, and is sent if nothing came of it', () =>
  withStore(async ({ store }) => {
    const card = await openAndClaim(store);
    const now = await store.installation.now();
    await store.freshness.answered(now, []);
    let waiting: readonly WaitingAction[] = [{ kind: 'acknowledge', user: 'ana' }];
    const incidents = {
      ...store.incidents,
      find: async (id: IncidentId) => ({ ...present(await store.incidents.find(id)), waiting }),
    };
    const kind = createAlertKind({ store: { ...store, incidents }, now: () => now });
    const data = { dueAt: now.toISOString(), about: 'card' } as const;
    const alert = { ...card, kind: 'alert', data, attempt: null, attemptData: null } as const;

    const pending = await kind.render(alert);
    waiting = [];

    expect(pending).toMatchObject({ heldUntil: expect.any(Date) });
    expect(await kind.render(alert)).toMatchObject({ content: { text: expect.any(String) } });
  }));
