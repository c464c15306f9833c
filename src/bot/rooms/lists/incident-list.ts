import type { KnownBlock } from '@slack/types';
import { plural } from '../../../incident/phrase.ts';
import { ACTIONS, COMMANDS } from '../../blocks/ids.ts';
import { formattedInline, inline, mrkdwn } from '../../blocks/mrkdwn.ts';
import { byMention } from '../../blocks/people-words.ts';
import { messageOf } from '../../blocks/text-of.ts';
import { NO_LABELS, staleWords } from '../../incident/further-words.ts';
import { button } from '../../incident/incident-buttons.ts';
import { ALL, type ListQuery, periodWord, queryWords } from '../../incident/incident-filter.ts';
import { rowLines, said } from '../../incident/incident-words.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { KnownPerson } from '../../slack/person.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { asOfWords, incidentRow, type ListPlace, listControls, listName } from './list-rows.ts';
import type { LIST_WORDS } from './list-words.ts';

const NOTE_LENGTH = 200;
export const LIST_PAGE_SIZE = 10;

export interface ListPage {
  /** At most `LIST_PAGE_SIZE`. Open ones: the worst first, then the one that has been open longest. */
  readonly incidents: readonly Snapshot[];
  readonly offset: number;
  /** Number of open incidents on all pages; null: the service does not report it. */
  readonly total: number | null;
  readonly hasMore: boolean;
  /** What the list is narrowed down to; absent: all open incidents. */
  readonly query?: ListQuery;
  /** The filter that was meant, like `service:payments`, where nothing matches; absent or null: none is close. */
  readonly meant?: string | null;
  /** When it was read. */
  readonly asOf: Date;
  /** Until when it follows its incidents; absent: it does not. */
  readonly refreshedUntil?: Date | null;
  /** When the service last responded, because this is what the bot has stored; absent: it was read from the service. */
  readonly staleSince?: Date | null;
  /** The people named in the incidents whom Slack knows. */
  readonly people?: readonly KnownPerson[];
}

export function incidentList(page: ListPage): SlackMessage {
  const { incidents } = page;
  const heading = `${listHeading(page)} · ${asOfWords(page.asOf, page.refreshedUntil)}`;
  const stale = said([staleWords(page.staleSince ?? null), labelWords(page)], '\n');
  const place = placeOf(page, openWord(page));
  const who = byMention(page.people ?? []);
  const rows = incidents.map((incident) => incidentRow(incident, place.name, who));
  const blocks = [listHead(heading, stale), ...rows, listControls(incidents, place)];
  return messageOf(blocks, { people: page.people ?? [] });
}

function listHead(heading: string, warning: string): KnownBlock {
  return { type: 'section', text: mrkdwn(said([`*${heading}*`, warning], '\n')) };
}

/** See `listName`. */
export function openListName(page: ListPage): string {
  return placeOf(page, openWord(page)).name;
}

function openWord({ query }: ListPage): keyof typeof LIST_WORDS {
  return query?.acknowledgedBy ? 'mine' : 'open';
}

function placeOf({ offset, incidents, hasMore, query }: ListPage, word: keyof typeof LIST_WORDS): ListPlace {
  const words = `${word} ${query === undefined ? '' : queryWords(query)}`.trim();
  return {
    name: listName(offset, words),
    back: offset === 0 ? null : listName(Math.max(0, offset - LIST_PAGE_SIZE), words),
    more: hasMore ? listName(offset + incidents.length, words) : null,
  };
}

/** What was closed within a period, last closed first. */
export function closedList(page: ListPage): SlackMessage {
  const period = page.query?.periodMs ?? null;
  const since = `in the last ${period === null ? '24h' : periodWord(period)}`;
  const heading = `${page.total === 0 ? 'No incident' : plural(page.total ?? 0, 'incident')} closed ${since}${narrowed(page)}${page.meant == null ? '' : `.${meantWords(page)}`}`;
  const place = placeOf(page, 'closed');
  const who = byMention(page.people ?? []);
  const rows = page.incidents.map(
    (incident): KnownBlock => ({
      type: 'section',
      text: mrkdwn(said([rowLines(incident, who), formattedInline(incident.resolution_note ?? '', NOTE_LENGTH)], '\n')),
      accessory: button('Show', ACTIONS.show, incident),
    }),
  );
  const head = listHead(`${heading} · ${asOfWords(page.asOf)}`, labelWords(page));
  return messageOf([head, ...rows, listControls(page.incidents, place)], { people: page.people ?? [] });
}

/** " matching service:payments"; empty: not narrowed. */
function narrowed({ query = ALL }: ListPage): string {
  const words = queryWords({ ...query, periodMs: null });
  return words === '' ? '' : ` matching ${inline(words, NOTE_LENGTH)}`;
}

function meantWords({ meant = null }: ListPage): string {
  return meant === null ? '' : ` Did you mean ${inline(meant, NOTE_LENGTH)}?`;
}

/** Says that labels do not narrow the list, if the service reports none. */
function labelWords({ query, incidents }: ListPage): string {
  const lacksLabels = incidents.some(({ labels }) => labels === undefined);
  return lacksLabels && (query?.labels ?? null) !== null ? NO_LABELS : '';
}

function listHeading(page: ListPage): string {
  const narrowedBy = narrowed(page);
  const isMine = page.query !== undefined && page.query.acknowledgedBy !== null;
  if (page.incidents.length === 0 && (narrowedBy !== '' || isMine) && page.offset === 0) {
    return `${isMine ? 'No open incidents are yours' : 'No open incidents'}${narrowedBy}.${meantWords(page)}`;
  }
  if (page.incidents.length === 0) {
    return page.offset === 0
      ? `No open incidents. \`${COMMANDS.incidents} help\` shows what I can do.`
      : 'No more open incidents.';
  }
  const last = page.offset + page.incidents.length;
  const count = page.total ?? (page.hasMore ? null : last);
  const counted = count === null ? `More than ${plural(last, 'open incident')}` : plural(count, 'open incident');
  const heading = `${counted}${isMine ? ' that you acknowledged or lead' : ''}${narrowedBy}`;
  const whole = page.offset === 0 && !page.hasMore;
  return whole ? heading : `${heading}, worst first: ${page.offset + 1} to ${last}`;
}
