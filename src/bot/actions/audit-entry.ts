import type { Action } from '../domain/action.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';

const MAX_DETAIL = 500;

/** @param detail reason or error; null: none */
export function auditEntry(action: Action, outcome: AuditEntry['outcome'], detail: string | null): AuditEntry {
  const { kind, incidentId, slackUserId, userName, channelId, origin } = action;
  const muted = action.incidentId === null ? `${action.target} ${action.value}` : null;
  const words = [muted, detail].filter((each) => each !== null).join(': ');
  return {
    action: kind,
    incidentId,
    slackUserId,
    userName,
    channelId,
    origin,
    outcome,
    detail: words === '' ? null : words.slice(0, MAX_DETAIL),
  };
}
