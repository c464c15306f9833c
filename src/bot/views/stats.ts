import { periodWord } from '../domain/incident-filter.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { IncidentStats, Times } from '../domain/stats.ts';
import { answer } from './answers.ts';
import { code, duration, plural } from './mrkdwn.ts';

/** @param isCut there were more incidents than were read */
export function statsMessage(
  stats: IncidentStats,
  { periodMs, service, isCut }: { periodMs: number; service: string | null; isCut: boolean },
): SlackMessage {
  const { total, open, closed, acknowledged, toAcknowledge, toClose, roots, noise } = stats;
  const of = service === null ? '' : ` with ${code(service, 80)}`;
  const heading = `*Incidents${of} opened in the last ${periodWord(periodMs)}*`;
  if (total === 0) {
    return answer(`${heading}\nNone.`);
  }
  const share = closed === 0 ? '' : ` (${Math.round((noise / closed) * 100)} %)`;
  const lines = [
    heading,
    `• ${plural(total, 'incident')}: ${open.toLocaleString('en')} open, ${closed.toLocaleString('en')} closed`,
    `• Time to acknowledge: ${timeWords(toAcknowledge, acknowledged, 'acknowledged')}`,
    `• Time to close: ${timeWords(toClose, closed, 'closed')}`,
    `• Most frequent roots: ${roots.map((root) => `${code(root.service, 80)} ${root.incidents.toLocaleString('en')}`).join(', ')}`,
    `• Noise: ${noise.toLocaleString('en')} of ${closed.toLocaleString('en')} closed without anybody having acknowledged them${share}`,
    isCut ? 'There are more incidents than could be read, so these are the numbers of a part of them.' : '',
  ];
  return answer(lines.filter((line) => line !== '').join('\n'));
}

function timeWords({ count, medianMs, p90Ms }: Times, all: number, what: string): string {
  if (count === 0) {
    return all === 0 ? `none was ${what}` : 'not known';
  }
  const base = count === all ? `${count.toLocaleString('en')} ${what}` : `known of ${count} of ${all} ${what}`;
  return `median ${duration(medianMs)}, 90 % within ${duration(p90Ms)} (${base})`;
}
