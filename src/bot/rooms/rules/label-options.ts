import type { PlainTextOption } from '@slack/types';
import { INCIDENT_LABELS } from '../../../contract/resources.ts';
import { readLabelWord } from '../../../incident/label-word.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { plainText } from '../../blocks/mrkdwn.ts';

/** Known labels in one list; Slack shows 100 options, and the typed text makes up to six. */
export const MOST_LABEL_OPTIONS = 94;

/** The option for a label of a rule. A value that does not fit becomes all values that begin like it. */
export function labelOption(word: string): PlainTextOption {
  const whole = word.toWellFormed();
  const beginning = whole.slice(0, LIMITS.optionValue - 1).replace(/[\ud800-\udbff]$/, '');
  const value = whole.length <= LIMITS.optionValue ? whole : `${beginning}*`;
  return { text: plainText(value, LIMITS.optionText), value };
}

/**
 * What the field of labels offers: known labels, then the typed text as a label, because a rule may be for a team that
 * has had no incident.
 *
 * @param known labels that contain the typed text, as `team:payments`
 */
export function labelOptions(typed: string, known: readonly string[]): PlainTextOption[] {
  const text = typed.replaceAll(/[\s,]+/g, ' ').trim();
  const word = readLabelWord(text);
  const meant = text === '' || text.includes(':') ? [] : INCIDENT_LABELS.map((label) => `${label}:${text}`);
  const asTyped = word === null ? meant : word.endsWith('*') ? [word] : [word, `${word}*`];
  const options = [...known.slice(0, MOST_LABEL_OPTIONS), ...asTyped].map(labelOption);
  return [...new Map(options.map((option) => [option.value?.toLowerCase(), option])).values()];
}
