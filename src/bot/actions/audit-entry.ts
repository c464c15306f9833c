import type { Action } from './action.ts';
import type { AuditEntry } from './audit-log.ts';
import type { ActionDefinition } from './definition.ts';

const MAX_DETAIL = 500;

/** @param detail reason or error; null: none */
export function auditEntry(
  action: Action,
  { subject }: Pick<ActionDefinition, 'subject'>,
  outcome: AuditEntry['outcome'],
  detail: string | null,
): AuditEntry {
  const { kind, incidentId, slackUserId, userName, channelId, origin } = action;
  const words = [subject?.(action).logged ?? null, detail].filter((each) => each !== null).join(': ');
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
