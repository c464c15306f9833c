import { plural } from '../../../incident/phrase.ts';
import { answer } from '../../blocks/answer.ts';
import { code, duration } from '../../blocks/mrkdwn.ts';
import { periodWord } from '../../incident/incident-filter.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import type { IncidentStats, Times } from './stats.ts';

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
  const lines = [
    heading,
    `• ${plural(total, 'incident')}: ${open.toLocaleString('en')} open, ${closed.toLocaleString('en')} closed`,
    `• Time to acknowledge: ${timeWords(toAcknowledge, acknowledged, 'acknowledged')}`,
    `• Time to close: ${timeWords(toClose, closed, 'closed')}`,
    `• Most frequent roots: ${roots.map((root) => `${code(root.service, 80)} ${root.incidents.toLocaleString('en')}`).join(', ')}`,
    closed === 0 ? '' : `• Noise: ${noiseWords(noise, closed)}`,
    isCut ? 'There are more incidents than could be read, so these are the numbers of a part of them.' : '',
  ];
  return answer(lines.filter((line) => line !== '').join('\n'));
}

function noiseWords(noise: number, closed: number): string {
  const share = `${Math.round((noise / closed) * 100)} %`;
  return `${noise.toLocaleString('en')} of ${closed.toLocaleString('en')} closed without anybody having acknowledged them (${share})`;
}

/** @param service that is known */
export function noneOf(service: string, periodMs: number): SlackMessage {
  return answer(`${code(service, 80)} had no incident in the last ${periodWord(periodMs)}.`);
}

const MOST_OFFERED = 5;

/**
 * @param meant the known service whose name is closest; null: none is close
 * @param failing the root services of open incidents, the worst first
 */
export function unknownService(service: string, meant: string | null, failing: readonly string[]): SlackMessage {
  const guess = meant === null ? '' : ` Did you mean ${code(meant, 80)}?`;
  const named = [...new Set(failing)].slice(0, MOST_OFFERED).map((name) => code(name, 80));
  const open = named.length === 0 ? '' : ` Open now: ${named.join(', ')}.`;
  return answer(`No incident of a service ${code(service, 80)} is known.${guess}${open}`);
}

function timeWords({ count, medianMs, p90Ms }: Times, all: number, what: string): string {
  if (count === 0) {
    return all === 0 ? `none was ${what}` : 'not known';
  }
  const base = count === all ? `${count.toLocaleString('en')} ${what}` : `known of ${count} of ${all} ${what}`;
  return `median ${duration(medianMs)}, 90 % within ${duration(p90Ms)} (${base})`;
}
