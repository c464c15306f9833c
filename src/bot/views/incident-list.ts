import type { KnownBlock } from '@slack/types';
import { ACTIONS, COMMANDS } from '../domain/ids.ts';
import { isAcknowledged } from '../domain/incident.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { rootWords, shortActivity } from './activity-words.ts';
import { button } from './incident-card.ts';
import { by, endedWords, headline, openedWords, plainHeadline, signalTotal } from './incident-words.ts';
import { messageText } from './message.ts';
import { mrkdwn, plainText, plural } from './mrkdwn.ts';

export const LIST_PAGE_SIZE = 10;

export interface ListPage {
  /** Newest first, at most `LIST_PAGE_SIZE`. */
  readonly incidents: readonly Snapshot[];
  readonly offset: number;
  /** Number of open incidents on all pages; null: the service does not report it. */
  readonly total: number | null;
  readonly hasMore: boolean;
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
    const next = page.offset + page.incidents.length;
    blocks.push({
      type: 'actions',
      elements: [{ type: 'button', text: plainText('More', 75), action_id: ACTIONS.listMore, value: String(next) }],
    });
  }
  const text = messageText([
    heading,
    ...page.incidents.map((incident) => `${plainHeadline(incident)}: ${row(incident)}`),
    page.hasMore ? 'Press More for the next page.' : '',
  ]);
  return { text, blocks };
}

function listHeading(page: ListPage): string {
  if (page.incidents.length === 0) {
    return page.offset === 0
      ? `No open incidents. \`${COMMANDS.incidents} help\` shows what I can do.`
      : 'No more open incidents.';
  }
  const last = page.offset + page.incidents.length;
  const count = page.total ?? (page.hasMore ? null : last);
  const heading = count === null ? `More than ${plural(last, 'open incident')}` : plural(count, 'open incident');
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
