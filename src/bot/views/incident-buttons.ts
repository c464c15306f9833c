import type { ActionsBlock, Button, Overflow } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import { isAcknowledged } from '../../incident/acknowledged.ts';
import type { IncidentId } from '../domain/identifiers.ts';
import { ACTIONS } from '../domain/ids.ts';
import { isSnoozed, offersSteering } from '../domain/incident.ts';
import { reference } from './incident-words.ts';
import { LIMITS } from './limits.ts';
import { cut, plainText } from './mrkdwn.ts';

type Named = Pick<Incident, 'id' | 'number'>;

/** The choices of the menu, and the buttons that do the same elsewhere. */
const MENU = {
  signals: { label: 'Signals', actionId: ACTIONS.signals },
  snooze: { label: 'Snooze', actionId: ACTIONS.snooze },
  unsnooze: { label: 'End snooze', actionId: ACTIONS.snoozeEnd },
  change: { label: 'Change', actionId: ACTIONS.steer },
} as const;
type MenuChoice = keyof typeof MENU;
export type MenuActionId = (typeof MENU)[MenuChoice]['actionId'];

/**
 * At most three buttons, each only while it applies, and a menu with the rest.
 *
 * @param third the last button; absent: Show
 */
export function incidentButtons(
  incident: Incident,
  third: Button | null = button('Show', ACTIONS.show, incident),
): ActionsBlock {
  const isOpen = incident.status === 'open';
  const acknowledge: Button = { ...button('Acknowledge', ACTIONS.acknowledge, incident), style: 'primary' };
  return {
    type: 'actions',
    elements: [
      ...(isOpen && !isAcknowledged(incident) ? [acknowledge] : []),
      ...(isOpen ? [button('Resolve', ACTIONS.resolve, incident)] : []),
      ...(third === null ? [] : [third]),
      menu(incident),
    ],
  };
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
function menu(incident: Incident): Button | Overflow {
  const choices = choicesOf(incident).map((choice) => ({ choice, value: `${choice} ${incident.id}` }));
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

/** Snooze is offered where the service offers mutes, unless a mute of the service or integration applies. */
function choicesOf(incident: Incident): MenuChoice[] {
  if (incident.status !== 'open') {
    return ['signals'];
  }
  const snooze: MenuChoice[] = incident.mute === null ? ['snooze'] : isSnoozed(incident) ? ['unsnooze'] : [];
  return ['signals', ...snooze, ...(offersSteering(incident) ? (['change'] as const) : [])];
}

/** @returns null: it is from another version */
export function parseMenuValue(
  value: string,
): { readonly actionId: MenuActionId; readonly incidentId: IncidentId } | null {
  const [, word = '', incidentId = ''] = /^(\w+) ([\s\S]+)$/.exec(value) ?? [];
  const choice = (Object.keys(MENU) as MenuChoice[]).find((each) => each === word); // the keys of the table
  return choice === undefined ? null : { actionId: MENU[choice].actionId, incidentId };
}
