import type { RecordedEntry } from '../../actions/audit-log.ts';

const COLUMNS = ['at', 'action', 'outcome', 'user', 'slack_user_id', 'incident_id', 'channel_id', 'origin', 'detail'];

/** RFC 4180, oldest first. */
export function auditCsv(entries: readonly RecordedEntry[]): string {
  const rows = entries.map(({ at, action, outcome, userName, slackUserId, incidentId, channelId, origin, detail }) =>
    [at.toISOString(), action, outcome, userName, slackUserId, incidentId, channelId, origin, detail]
      .map(field)
      .join(','),
  );
  return `${[COLUMNS.join(','), ...rows].join('\r\n')}\r\n`;
}

/** A leading quote keeps spreadsheets from running a text as a formula. */
function field(value: string | null): string {
  const text = (value ?? '').replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
