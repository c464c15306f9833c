import type { KnownBlock } from '@slack/types';
import { plural } from '../../../incident/phrase.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { fitting } from '../../blocks/message.ts';
import { dateToken, inline, mrkdwn } from '../../blocks/mrkdwn.ts';
import { messageOf } from '../../blocks/text-of.ts';
import {
  acknowledgedWords,
  mutedWords,
  roleWords,
  said,
  shortActivity,
  stateSentence,
  whatFails,
} from '../../incident/incident-words.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import type { Shift } from './shift.ts';

const NOTE_LENGTH = 200;

/** The summary of a shift for its channel. */
export function handoverMessage(shift: Shift): SlackMessage {
  const { from, to, opened, untaken, taken, closed } = shift;
  const heading = `*Handover* ${dateToken(from.toISOString())} to ${dateToken(to.toISOString())}`;
  const summary = `${plural(opened, 'incident')} opened, ${closed.length.toLocaleString('en')} closed, ${(untaken.length + taken.length).toLocaleString('en')} open now.`;
  const parts = [
    { title: '🔴 Not acknowledged', incidents: untaken, words: openWords },
    { title: '🟡 Acknowledged', incidents: taken, words: openWords },
    { title: '✅ Closed', incidents: closed, words: closedWords },
  ].filter(({ incidents }) => incidents.length > 0);
  const blocks = parts.map(({ title, incidents, words }): KnownBlock => {
    const lines = incidents.map((incident) => `• ${whatFails(incident)}: ${words(incident)}`);
    return { type: 'section', text: mrkdwn(section(title, lines)) };
  });
  return messageOf([{ type: 'section', text: mrkdwn(`${heading}\n${summary}`) }, ...blocks]);
}

function section(title: string, lines: readonly string[]): string {
  const shown = fitting(lines, LIMITS.sectionText - 100);
  const rest = lines.length - shown.length;
  return [`*${title}*`, ...shown, ...(rest > 0 ? [`and ${plural(rest, 'more incident')}`] : [])].join('\n');
}

function openWords(incident: Snapshot): string {
  const words = [
    `opened ${dateToken(incident.opened_at)}`,
    acknowledgedWords(incident),
    roleWords(incident),
    shortActivity(incident),
    mutedWords(incident),
  ];
  return said(words);
}

function closedWords(incident: Snapshot): string {
  return said([stateSentence(incident), inline(incident.resolution_note ?? '', NOTE_LENGTH)], ': ');
}
