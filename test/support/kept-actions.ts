import { randomUUID } from 'node:crypto';
import type { Action, ActionRequest } from '../../src/bot/actions/action.ts';
import type { AuditEntry } from '../../src/bot/actions/audit-log.ts';
import type { Store } from '../../src/bot/store.ts';
import { keptEntry, MINUTE_MS } from './bot-store.ts';

export const ANSWER = { text: 'done', blocks: [] };

export function request(fields: Partial<ActionRequest<'resolve'>> = {}): ActionRequest<'resolve'> {
  return {
    source: randomUUID(),
    kind: 'resolve',
    incidentId: 'inc_1',
    slackUserId: 'U1',
    channelId: null,
    note: 'done',
    asksFirst: false,
    isNoProblem: false,
    origin: '/incidents resolve',
    ...fields,
  };
}

export function entry(fields: Partial<AuditEntry> = {}): AuditEntry {
  return {
    action: 'resolve',
    incidentId: 'inc_1',
    slackUserId: 'U1',
    userName: 'ana',
    channelId: null,
    origin: '/incidents resolve',
    outcome: 'done',
    detail: null,
    ...fields,
  };
}

export async function keep(
  store: Store,
  fields: Partial<ActionRequest<'resolve'>> = {},
  userName: string | null = null,
): Promise<Action> {
  const kept = await store.actions.keep(request(fields), userName);
  if (kept.kind !== 'new') {
    throw new Error('it came before');
  }
  return kept.action;
}

/** The service is away. */
export const postpone = (store: Store, action: Action, retryMs = MINUTE_MS) =>
  store.actions.postpone(action, keptEntry(action), retryMs);
