import type { KnownBlock } from '@slack/types';
import { isAcknowledged } from '../domain/incident.ts';
import type { Shift } from '../domain/shift.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { acknowledgedWords, headline, openedWords } from './incident-words.ts';
import { LIMITS } from './limits.ts';
import { fitting, messageText } from './message.ts';
import { dateToken, mrkdwn, plural } from './mrkdwn.ts';

const MOST_LISTED = 20;

/** The summary of a shift for the next one. */
export function handoverMessage({ since, opened, closed, open }: Shift): SlackMessage {
  const untaken = open.filter((incident) => !isAcknowledged(incident)).length;
  const heading = `*Handover* since ${dateToken(since.toISOString())}: ${plural(opened, 'incident')} opened, ${closed.toLocaleString('en')} closed.`;
  const left =
    open.length === 0
      ? 'Nothing is open.'
      : `${plural(open.length, 'incident')} still open, ${untaken === 0 ? 'all acknowledged' : `${untaken.toLocaleString('en')} not acknowledged`}:`;
  const listed = fitting(open.slice(0, MOST_LISTED).map(line), LIMITS.sectionText - 40);
  const more = open.length > listed.length ? [`and ${(open.length - listed.length).toLocaleString('en')} more`] : [];
  const sections = [[heading, left].join('\n'), [...listed, ...more].join('\n')].filter((text) => text !== '');
  return {
    text: messageText(sections),
    blocks: sections.map((text): KnownBlock => ({ type: 'section', text: mrkdwn(text) })),
  };
}

function line(incident: Snapshot): string {
  const taken = acknowledgedWords(incident);
  const facts = [incident.severity ?? '', openedWords(incident), taken === '' ? 'nobody has taken it' : taken];
  return `• ${headline(incident)} · ${facts.filter((fact) => fact !== '').join(' · ')}`;
}
