import { INCIDENT_LABELS } from '../contract/resources.ts';

const WORD = new RegExp(String.raw`^\s*(${INCIDENT_LABELS.join('|')}):\s*(.*?)\s*$`, 'i');

/** Reads a label as people type it: `Team: payments` is `team:payments`. @returns null: the word is not a label */
export function readLabelWord(word: string): string | null {
  const [, name = '', value = ''] = WORD.exec(word) ?? [];
  return name === '' || value === '' ? null : `${name.toLowerCase()}:${value}`;
}
