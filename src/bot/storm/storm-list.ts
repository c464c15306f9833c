import type { Button, KnownBlock, ModalView } from '@slack/types';
import { plural } from '../../incident/phrase.ts';
import type { StormId } from '../domain/identifiers.ts';
import { ACTIONS } from '../domain/ids.ts';
import type { KnownPerson } from '../domain/incident.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { LIMITS } from '../views/limits.ts';
import { asOfWords, incidentRow, listControls, listName } from '../views/list-rows.ts';
import { mrkdwn, plainText } from '../views/mrkdwn.ts';
import { byMention } from '../views/people-words.ts';
import { readingModal } from '../views/reading-modal.ts';
import { stormValue } from './storm-card.ts';

export const STORM_PAGE_SIZE = 12;
export const STORM_LIST_TITLE = 'Incidents of a storm';

export interface StormPage {
  readonly stormId: StormId;
  readonly incidents: readonly Snapshot[];
  readonly offset: number;
  readonly total: number;
  /** When it was read. */
  readonly asOf: Date;
  /** Until when it follows its incidents; absent: it does not. */
  readonly refreshedUntil?: Date | null;
  /** The people named in the incidents whom Slack knows. */
  readonly people?: readonly KnownPerson[];
}

const STORM = /^storm ([0-9a-f-]{36})$/;

/** Names the list of a storm, like the words of a command name other lists. */
export function stormWords(stormId: string): string {
  return `storm ${stormId}`;
}

/** @returns the id of the storm that such words name; null: they name another list */
export function stormOf(words: string): string | null {
  return STORM.exec(words)?.[1] ?? null;
}

/**
 * One page of the incidents of a storm: those that nobody has first, the worst of them first.
 *
 * @param notice the outcome of what the person did in the list
 */
export function stormList(page: StormPage, notice: SlackMessage | null = null): ModalView {
  const last = page.offset + page.incidents.length;
  const where = page.total > page.incidents.length ? `: ${page.offset + 1} to ${last}` : '';
  const name = listName(page.offset, stormWords(page.stormId));
  const heading = `*${plural(page.total, 'incident')}${where} · ${asOfWords(page.asOf, page.refreshedUntil)}*`;
  const blocks: KnownBlock[] = [
    ...(notice?.blocks ?? []).filter(({ type }) => type !== 'actions'),
    {
      type: 'section',
      text: mrkdwn(`${heading}\nIncidents that are not acknowledged come first, the worst of them first.`),
    },
    ...page.incidents.map((incident) => incidentRow(incident, name, byMention(page.people ?? []))),
    listControls(page.incidents, { name, back: null, more: null }),
  ];
  const turns: Button[] = [];
  if (page.offset > 0) {
    turns.push(turn('Previous', ACTIONS.stormListPrevious, page, Math.max(0, page.offset - STORM_PAGE_SIZE)));
  }
  if (last < page.total) {
    turns.push(turn('Next', ACTIONS.stormListNext, page, last));
  }
  if (turns.length > 0) {
    blocks.push({ type: 'actions', elements: turns });
  }
  return readingModal(STORM_LIST_TITLE, blocks);
}

function turn(label: string, actionId: string, page: StormPage, offset: number): Button {
  return {
    type: 'button',
    text: plainText(label, LIMITS.buttonText),
    action_id: actionId,
    value: stormValue(page.stormId, String(offset)),
    accessibility_label: `${label} page of the storm's incidents`,
  };
}
