import type { Button } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import { answer } from '../blocks/answer.ts';
import { LIMITS } from '../blocks/limits.ts';
import { cut, plainText, quotePart } from '../blocks/mrkdwn.ts';
import { messageOf } from '../blocks/text-of.ts';
import { restWords } from '../incident/further-words.ts';
import { plainHeadline, stateSentence } from '../incident/incident-words.ts';
import { isSameText } from '../slack/same-text.ts';
import type { SlackMessage } from '../slack/slack-message.ts';
import type { Action } from './action.ts';

export const nothingTyped = () => null;
export const never = () => null;

/** Adds a button for the action to the first section. */
export function withButton(
  { blocks }: SlackMessage,
  { label, actionId, incident, action }: { label: string; actionId: string; incident: Incident; action: Action },
): SlackMessage {
  const accessory: Button = {
    type: 'button',
    text: plainText(label, LIMITS.buttonText),
    action_id: actionId,
    value: action.id,
    accessibility_label: cut(`${label}: ${plainHeadline(incident)}`, LIMITS.accessibilityLabel),
  };
  return messageOf(blocks.map((block, index) => (index === 0 ? { ...block, accessory } : block)));
}

export function alreadyClosed(incident: Incident, note: string | null): SlackMessage {
  const isThere = note !== null && isSameText(incident.resolution_note ?? '', note);
  return answer(
    `${plainHeadline(incident)} is already closed, so nothing was changed. ${closedWords(incident)}`,
    isThere ? null : note,
  );
}

export function closedWords(incident: Incident): string {
  const note = incident.resolution_note ?? '';
  const { quoted, rest } = quotePart(note, 600);
  const more = rest === '' ? '' : `\n${restWords(incident, rest)}`;
  return `${stateSentence(incident)}${note === '' ? '.' : `:\n${quoted}${more}`}`;
}

/** Shown instead of the resolve form when the incident is already closed. */
export function closedAlready(incident: Incident): SlackMessage {
  return answer(`${plainHeadline(incident)} is already closed. ${closedWords(incident)}`);
}
