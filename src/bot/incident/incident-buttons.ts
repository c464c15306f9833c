import type { ActionsBlock, Button, Overflow } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import { isAcknowledged } from '../../incident/acknowledged.ts';
import { ACTIONS } from '../blocks/ids.ts';
import { LIMITS } from '../blocks/limits.ts';
import { cut, plainText } from '../blocks/mrkdwn.ts';
import type { IncidentId } from '../slack/identifiers.ts';
import { isSnoozed, offersAdditions, offersSteering } from './incident.ts';
import { reference } from './incident-words.ts';

type Named = Pick<Incident, 'id' | 'number'>;

/** The choices of the menu, and the buttons that do the same elsewhere. */
const MENU = {
  show: { label: 'Show', actionId: ACTIONS.show },
  signals: { label: 'Signals', actionId: ACTIONS.signals },
  snooze: { label: 'Snooze', actionId: ACTIONS.snooze },
  unsnooze: { label: 'End snooze', actionId: ACTIONS.snoozeEnd },
  change: { label: 'Change', actionId: ACTIONS.steer },
  note: { label: 'Add a note', actionId: ACTIONS.note },
  merge: { label: 'Merge', actionId: ACTIONS.merge },
  split: { label: 'Split off', actionId: ACTIONS.split },
} as const;
type MenuChoice = keyof typeof MENU;
export type MenuActionId = (typeof MENU)[MenuChoice]['actionId'];

const PRIMARY = { style: 'primary' } as const;

/** Buttons beside the menu that fit into a line of a phone. */
const MOST_BUTTONS = 2;

/**
 * The buttons that apply, and a menu with the rest: one line of a phone.
 *
 * @param last the last button, for which there is room only once somebody has the incident; absent: Show, which is in the menu before
 */
export function incidentButtons(incident: Incident, last?: Button | null): ActionsBlock {
  const isOpen = incident.status === 'open';
  const isUntaken = isOpen && !isAcknowledged(incident);
  const isOver = incident.activity === 'recovered'; // then the next step is to resolve it, whoever has it
  const acknowledge = { ...button('Acknowledge', ACTIONS.acknowledge, incident), ...(isOver ? {} : PRIMARY) };
  const resolve = { ...button('Resolve', ACTIONS.resolve, incident), ...(isOver ? PRIMARY : {}) };
  const first: Button[] = [
    ...(isUntaken && !isOver ? [acknowledge] : []),
    ...(isOpen ? [resolve] : []),
    ...(isUntaken && isOver ? [acknowledge] : []),
  ];
  const hasRoom = first.length < MOST_BUTTONS;
  const show = last === undefined && hasRoom ? [button('Show', ACTIONS.show, incident)] : [];
  const others = [...(last === undefined && !hasRoom ? (['show'] as const) : []), ...choicesOf(incident)];
  return { type: 'actions', elements: [...first, ...show, ...(last == null ? [] : [last]), menu(incident, others)] };
}

export function button(label: string, actionId: string, incident: Named): Button {
  return {
    type: 'button',
    text: plainText(label, LIMITS.buttonText),
    action_id: actionId,
    value: incident.id,
    accessibility_label: cut(`${label} incident ${reference(incident)}`, LIMITS.accessibilityLabel),
  };
}

/** A button if there is one choice, or the id is too long for a menu. */
function menu(incident: Incident, offered: readonly MenuChoice[]): Button | Overflow {
  const choices = offered
    .slice(0, LIMITS.overflowOptions)
    .map((choice) => ({ choice, value: `${choice} ${incident.id}` }));
  if (choices.length < 2 || choices.some(({ value }) => value.length > LIMITS.optionValue)) {
    return button(MENU.signals.label, ACTIONS.signals, incident);
  }
  return {
    type: 'overflow',
    action_id: ACTIONS.more,
    options: choices.map(({ choice, value }) => ({
      text: plainText(MENU[choice].label, LIMITS.optionText),
      value,
    })),
  };
}

/** The most needed first, since a menu may have no room for the last. No snooze if a mute of the service or integration applies. */
function choicesOf(incident: Incident): MenuChoice[] {
  const isOffered = offersAdditions(incident);
  const note: MenuChoice[] = isOffered ? ['note'] : [];
  if (incident.status !== 'open') {
    return ['signals', ...note, ...(isOffered && incident.merged_into != null ? (['split'] as const) : [])];
  }
  const snooze: MenuChoice[] = incident.mute === null ? ['snooze'] : isSnoozed(incident) ? ['unsnooze'] : [];
  const change: MenuChoice[] = offersSteering(incident) ? ['change'] : [];
  return ['signals', ...note, ...snooze, ...change, ...(isOffered ? (['merge'] as const) : [])];
}

/** @returns null: it is from another version */
export function parseMenuValue(
  value: string,
): { readonly actionId: MenuActionId; readonly incidentId: IncidentId } | null {
  const [, word = '', incidentId = ''] = /^(\w+) ([\s\S]+)$/.exec(value) ?? [];
  const choice = (Object.keys(MENU) as MenuChoice[]).find((each) => each === word); // the keys of the table
  return choice === undefined ? null : { actionId: MENU[choice].actionId, incidentId };
}
