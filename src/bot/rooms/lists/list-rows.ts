import type { Button, KnownBlock, PlainTextOption, SectionBlock } from '@slack/types';
import { z } from 'zod';
import { isAcknowledged } from '../../../incident/acknowledged.ts';
import { plural } from '../../../incident/phrase.ts';
import { readStored } from '../../blocks/form.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { cut, mrkdwn, plainText, timeToken } from '../../blocks/mrkdwn.ts';
import { byName, type Who } from '../../blocks/people-words.ts';
import { isSnoozed } from '../../incident/incident.ts';
import { reference, rowLines } from '../../incident/incident-words.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import { LISTS_BUTTONS } from './ids.ts';

/** The choices of a row's menu. */
const ROW_CHOICES = ['acknowledge', 'resolve', 'snooze', 'unsnooze', 'show'] as const;
export type RowChoice = (typeof ROW_CHOICES)[number];

const CHOICE_LABELS = {
  acknowledge: (name) => `Acknowledge ${name}`,
  resolve: (name) => `Resolve ${name}`,
  snooze: (name) => `Snooze ${name} for 1 hour`,
  unsnooze: (name) => `End snooze of ${name}`,
  show: (name) => `Show ${name}`,
} as const satisfies Record<RowChoice, (name: string) => string>;

/**
 * One incident of a list, with a menu. Slack does not send the content of an ephemeral message with a click, so the id
 * of the block is the id of the incident, and the values of the menu name the list.
 *
 * @param list see `listName`
 */
export function incidentRow(incident: Snapshot, list: string, who: Who = byName): SectionBlock {
  return {
    type: 'section',
    block_id: incident.id,
    text: mrkdwn(rowLines(incident, who)),
    accessory: {
      type: 'overflow',
      action_id: LISTS_BUTTONS.listRow,
      options: choicesOf(incident).map(
        (choice): PlainTextOption => ({
          text: plainText(CHOICE_LABELS[choice](reference(incident)), LIMITS.optionText),
          value: choiceValue(choice, list),
        }),
      ),
    },
  };
}

/** Snooze is offered where the service offers mutes, unless its service or integration is muted already. */
function choicesOf(incident: Snapshot): readonly RowChoice[] {
  if (incident.status === 'closed') {
    return ['show'];
  }
  const snooze: RowChoice[] = incident.mute === null ? ['snooze'] : isSnoozed(incident) ? ['unsnooze'] : [];
  return [...(isAcknowledged(incident) ? [] : (['acknowledge'] as const)), 'resolve', ...snooze, 'show'];
}

/** Names a page of a list in the values of its controls: the offset, and the words of the command that makes it. */
export function listName(offset: number, words: string): string {
  return `${offset} ${words}`.trim();
}

export function parseListName(name: string): { readonly offset: number; readonly words: string } {
  const [, offset = '0', words = ''] = /^(\d{1,6})(?: ([\s\S]*))?$/.exec(name) ?? [];
  return { offset: Number(offset), words };
}

/** Omits the list name if it exceeds Slack's limit. The list is then not replaced after the choice. */
function choiceValue(choice: RowChoice, list: string): string {
  const value = `${choice} ${list}`;
  return value.length <= LIMITS.optionValue ? value : choice;
}

/** @returns `list`: null if its name was too long for the menu */
export function parseChoice(value: string): { readonly choice: RowChoice; readonly list: string | null } | null {
  const [, word, list = null] = /^(\w+)(?: ([\s\S]+))?$/.exec(value) ?? [];
  const choice = ROW_CHOICES.find((each) => each === word);
  return choice === undefined ? null : { choice, list };
}

/**
 * When the list was read.
 *
 * @param refreshedUntil when it stops to follow its incidents; null: only Refresh changes it
 */
export function asOfWords(asOf: Date, refreshedUntil: Date | null = null): string {
  const until = refreshedUntil === null ? '' : `, refreshed until ${timeToken(refreshedUntil.toISOString())}`;
  return `as of ${timeToken(asOf.toISOString())}${until}`;
}

export interface ListPlace {
  /** The page that is shown, and its neighbours; null: there is none. */
  readonly name: string;
  readonly back: string | null;
  readonly more: string | null;
}

/** Acknowledge all, pages and Refresh. */
export function listControls(incidents: readonly Snapshot[], place: ListPlace): KnownBlock {
  const turns = [
    place.back === null ? [] : [turn('Back', LISTS_BUTTONS.listBack, place.back, 'Back to the page before')],
    place.more === null ? [] : [turn('More', LISTS_BUTTONS.listMore, place.more, 'More incidents')],
    [turn('Refresh', LISTS_BUTTONS.listRefresh, place.name, 'Refresh this list')],
  ];
  return { type: 'actions', elements: [...acknowledgeAll(incidents, place.name), ...turns.flat()] };
}

function turn(label: string, actionId: string, value: string, spoken: string): Button {
  return {
    type: 'button',
    text: plainText(label, LIMITS.buttonText),
    action_id: actionId,
    value: cut(value, LIMITS.buttonValue),
    accessibility_label: spoken,
  };
}

const ToAcknowledge = z.object({ list: z.string(), ids: z.array(z.string().min(1).max(255)).max(20) });
export type ToAcknowledge = z.infer<typeof ToAcknowledge>;

/** Acknowledges what the list shows, and nothing that was opened since. Absent for one incident: its row does it. */
function acknowledgeAll(incidents: readonly Snapshot[], list: string): Button[] {
  const waiting = incidents.filter((incident) => incident.status === 'open' && !isAcknowledged(incident));
  const value = JSON.stringify({ list, ids: waiting.map(({ id }) => id) } satisfies ToAcknowledge);
  if (waiting.length < 2 || value.length > LIMITS.buttonValue) {
    return [];
  }
  const count = `${waiting.length}`;
  const named = waiting.map((incident) => reference(incident)).join(', ');
  return [
    {
      type: 'button',
      text: plainText(`Acknowledge all ${count}`, LIMITS.buttonText),
      action_id: LISTS_BUTTONS.listAcknowledge,
      value,
      accessibility_label: `Acknowledge all ${count} shown here that nobody has`,
      confirm: {
        title: plainText(`Acknowledge ${plural(waiting.length, 'incident')}?`, LIMITS.confirmTitle),
        text: plainText(`This acknowledges ${count} incidents in your name: ${named}`, LIMITS.confirmText),
        confirm: plainText('Acknowledge all', LIMITS.confirmButton),
        deny: plainText('Cancel', LIMITS.confirmButton),
      },
    },
  ];
}

export function parseToAcknowledge(value: string): ToAcknowledge | null {
  return readStored(ToAcknowledge, value);
}
