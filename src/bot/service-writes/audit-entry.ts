import type { Action, MuteSubject } from '../domain/action.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';

export const MAX_DETAIL = 500;

/** @param detail reason or error; null: none */
export function auditEntry(action: Action, outcome: AuditEntry['outcome'], detail: string | null): AuditEntry {
  const { kind, incidentId, slackUserId, userName, channelId, origin } = action;
  const muted = incidentId === null ? mutedWords(action.mute) : null;
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

/** "service payments", or the id of a mute */
function mutedWords(mute: MuteSubject): string {
  return 'id' in mute ? mute.id : `${mute.target} ${mute.value}`;
}
