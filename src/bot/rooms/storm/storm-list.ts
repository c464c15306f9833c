import type { Button, KnownBlock, ModalView } from '@slack/types';
import { plural } from '../../../incident/phrase.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { mrkdwn, plainText } from '../../blocks/mrkdwn.ts';
import { byMention } from '../../blocks/people-words.ts';
import { readingModal } from '../../blocks/reading-modal.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { StormId } from '../../slack/identifiers.ts';
import type { KnownPerson } from '../../slack/person.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { asOfWords, incidentRow, listControls, listName } from '../lists/list-rows.ts';
import { STORM_BUTTONS } from './ids.ts';
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
 * One page of the incidents of a storm: open ones first, the worst of them first.
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
      text: mrkdwn(`${heading}\nThe worst come first, of these the oldest; closed ones are at the end.`),
    },
    ...page.incidents.map((incident) => incidentRow(incident, name, byMention(page.people ?? []))),
    listControls(page.incidents, { name, back: null, more: null }),
  ];
  const turns: Button[] = [];
  if (page.offset > 0) {
    turns.push(turn('Previous', STORM_BUTTONS.stormListPrevious, page, Math.max(0, page.offset - STORM_PAGE_SIZE)));
  }
  if (last < page.total) {
    turns.push(turn('Next', STORM_BUTTONS.stormListNext, page, last));
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
