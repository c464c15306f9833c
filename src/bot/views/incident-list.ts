import type { Button, KnownBlock } from '@slack/types';
import type { CommandWord } from '../domain/commands.ts';
import { ACTIONS, COMMANDS } from '../domain/ids.ts';
import { isAcknowledged } from '../domain/incident.ts';
import { ALL, filterWords, type ListQuery, periodWord } from '../domain/incident-filter.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { rootWords, shortActivity } from './activity-words.ts';
import { button } from './incident-card.ts';
import { at, by, endedWords, headline, openedWords, plainHeadline, signalTotal } from './incident-words.ts';
import { LIMITS } from './limits.ts';
import { messageText } from './message.ts';
import { cut, inline, mrkdwn, plainText, plural } from './mrkdwn.ts';

const NOTE_LENGTH = 200;
export const LIST_PAGE_SIZE = 10;

export interface ListPage {
  /** Newest first, at most `LIST_PAGE_SIZE`. */
  readonly incidents: readonly Snapshot[];
  readonly offset: number;
  /** Number of open incidents on all pages; null: the service does not report it. */
  readonly total: number | null;
  readonly hasMore: boolean;
  /** What the list is narrowed down to; absent: all open incidents. */
  readonly query?: ListQuery;
}

export function incidentList(page: ListPage): SlackMessage {
  const heading = listHeading(page);
  if (page.incidents.length === 0) {
    return { text: heading, blocks: [{ type: 'section', text: mrkdwn(heading) }] };
  }
  const rows: KnownBlock[] = page.incidents.map((incident) => ({
    type: 'section',
    text: mrkdwn(`*${headline(incident)}*\n${row(incident)}`),
    accessory: button('Show', ACTIONS.show, incident),
  }));
  const blocks: KnownBlock[] = [{ type: 'section', text: mrkdwn(`*${heading}*`) }, ...rows];
  if (page.hasMore) {
    blocks.push({ type: 'actions', elements: [moreButton(page, page.query?.acknowledgedBy ? 'mine' : 'open')] });
  }
  const text = messageText([
    heading,
    ...page.incidents.map((incident) => `${plainHeadline(incident)}: ${row(incident)}`),
    page.hasMore ? 'Press More for the next page.' : '',
  ]);
  return { text, blocks };
}

/** Its value is the offset and the command that lists it. */
function moreButton({ offset, incidents, query }: ListPage, word: CommandWord): Button {
  const words = `${word} ${query === undefined ? '' : filterWords(query)}`.trim();
  return {
    type: 'button',
    text: plainText('More', LIMITS.buttonText),
    action_id: ACTIONS.listMore,
    value: cut(`${offset + incidents.length} ${words}`, LIMITS.buttonValue),
  };
}

export function parseMoreValue(value: string): { readonly offset: number; readonly command: string } {
  const [, offset = '0', command = ''] = /^(\d{1,6})(?: (.*))?$/.exec(value) ?? [];
  return { offset: Number(offset), command };
}

/** What was closed within a period, last closed first. */
export function closedList(page: ListPage): SlackMessage {
  const period = page.query?.periodMs ?? null;
  const since = `in the last ${period === null ? '24h' : periodWord(period)}`;
  const heading = `${page.total === 0 ? 'No incident' : plural(page.total ?? 0, 'incident')} closed ${since}${narrowed(page)}`;
  const rows = page.incidents.map(
    (incident): KnownBlock => ({
      type: 'section',
      text: mrkdwn(`*${headline(incident)}*\n${closedRow(incident)}`),
      accessory: button('Show', ACTIONS.show, incident),
    }),
  );
  const more: KnownBlock[] = page.hasMore ? [{ type: 'actions', elements: [moreButton(page, 'closed')] }] : [];
  return {
    text: messageText([
      heading,
      ...page.incidents.map((incident) => `${plainHeadline(incident)}: ${closedRow(incident)}`),
    ]),
    blocks: [{ type: 'section', text: mrkdwn(`*${heading}*`) }, ...rows, ...more],
  };
}

function closedRow(incident: Snapshot): string {
  const note = inline(incident.resolution_note ?? '', NOTE_LENGTH);
  const state = `✅ closed${by(incident.resolved_by)}${at(incident.closed_at)}${note === '' ? '' : `: ${note}`}`;
  return [state, rootWords(incident), openedWords(incident)].filter((words) => words !== '').join(' · ');
}

/** " matching service:payments"; empty: not narrowed. */
function narrowed({ query = ALL }: ListPage): string {
  const words = filterWords({ ...query, periodMs: null });
  return words === '' ? '' : ` matching ${inline(words, NOTE_LENGTH)}`;
}

function listHeading(page: ListPage): string {
  const narrowedBy = narrowed(page);
  const isMine = page.query !== undefined && page.query.acknowledgedBy !== null;
  if (page.incidents.length === 0 && (narrowedBy !== '' || isMine) && page.offset === 0) {
    return `${isMine ? 'You have acknowledged no open incidents' : 'No open incidents'}${narrowedBy}.`;
  }
  if (page.incidents.length === 0) {
    return page.offset === 0
      ? `No open incidents. \`${COMMANDS.incidents} help\` shows what I can do.`
      : 'No more open incidents.';
  }
  const last = page.offset + page.incidents.length;
  const count = page.total ?? (page.hasMore ? null : last);
  const counted = count === null ? `More than ${plural(last, 'open incident')}` : plural(count, 'open incident');
  const heading = `${counted}${isMine ? ' that you acknowledged' : ''}${narrowedBy}`;
  const whole = page.offset === 0 && !page.hasMore;
  return whole ? heading : `${heading}, newest first: ${page.offset + 1} to ${last}`;
}

export function row(incident: Snapshot): string {
  const state = isAcknowledged(incident) ? `🟡 acknowledged${by(incident.acknowledged_by)}` : '🔴 not acknowledged';
  const root = rootWords(incident);
  return [state, shortActivity(incident), root, signalTotal(incident), openedWords(incident), endedWords(incident)]
    .filter((words) => words !== '')
    .join(' · ');
}
