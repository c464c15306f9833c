import type { Button } from '@slack/types';
import type { Incident } from '../../../contract/resources.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { cut, mrkdwn, plainText } from '../../blocks/mrkdwn.ts';
import { messageOf } from '../../blocks/text-of.ts';
import { reference } from '../../incident/incident-words.ts';
import type { IncidentId } from '../../slack/identifiers.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { SNOOZE_BUTTONS } from './ids.ts';
import { SNOOZES, type SnoozeTime } from './snooze.ts';

const LABELS: Readonly<Record<SnoozeTime, string>> = { '1h': '1 hour', '4h': '4 hours', tomorrow: 'Until tomorrow' };

const ACTION_IDS: Readonly<Record<SnoozeTime, string>> = {
  '1h': SNOOZE_BUTTONS.snoozeHour,
  '4h': SNOOZE_BUTTONS.snoozeHours,
  tomorrow: SNOOZE_BUTTONS.snoozeTomorrow,
};

/** The value of a snooze button or of a menu option. */
export function snoozeValue(time: SnoozeTime, incidentId: IncidentId): string {
  return `${time} ${incidentId}`;
}

/** @returns null: it is from another version */
export function parseSnoozeValue(value: string): { readonly time: SnoozeTime; readonly incidentId: IncidentId } | null {
  const time = SNOOZES.find((each) => value.startsWith(`${each} `));
  return time === undefined ? null : { time, incidentId: value.slice(time.length + 1) };
}

export function snoozeButton(
  time: SnoozeTime,
  incident: Pick<Incident, 'id' | 'number'>,
  label = LABELS[time],
): Button {
  return {
    type: 'button',
    text: plainText(label, LIMITS.buttonText),
    action_id: ACTION_IDS[time],
    value: snoozeValue(time, incident.id),
    accessibility_label: cut(`Snooze incident ${reference(incident)}: ${LABELS[time]}`, LIMITS.accessibilityLabel),
  };
}

/** Asks for how long. */
export function snoozeQuestion(incident: Pick<Incident, 'id' | 'number'>): SlackMessage {
  const text = `For how long do you want to snooze ${reference(incident)}?`;
  return messageOf([
    { type: 'section', text: mrkdwn(text) },
    { type: 'actions', elements: SNOOZES.map((time) => snoozeButton(time, incident)) },
  ]);
}
