import type { Action } from '../domain/action.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';

const MAX_DETAIL = 500;

/** null: it is an incident. */
function subjectOf(action: Action): string | null {
  if (action.incidentId !== null) {
    return null;
  }
  return action.kind === 'declare' ? `${action.service}: ${action.title}` : `${action.target} ${action.value}`;
}

/** @param detail reason or error; null: none */
export function auditEntry(action: Action, outcome: AuditEntry['outcome'], detail: string | null): AuditEntry {
  const { kind, incidentId, slackUserId, userName, channelId, origin } = action;
  const words = [subjectOf(action), detail].filter((each) => each !== null).join(': ');
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
