import type { PlainTextOption } from '@slack/types';
import { LIMITS } from '../../blocks/limits.ts';
import { cut, plainText } from '../../blocks/mrkdwn.ts';

/** Services that are offered while somebody types, beside what was typed. */
export const MOST_DECLARE_SERVICES = 99;

/** Those that are known, then what was typed, because a service may fail for the first time. Each once. */
export function declareServiceOptions(typed: string, known: readonly string[]): PlainTextOption[] {
  const names = [...known, typed.replace(/\s+/g, ' ').trim()].filter((name) => name.trim() !== '');
  const byName = new Map(names.map((name) => [name.toLowerCase(), declareServiceOption(name)]));
  return [...new Map([...byName.values()].map((option) => [option.value, option])).values()];
}

export function declareServiceOption(name: string): PlainTextOption {
  return { text: plainText(name, LIMITS.optionText), value: cut(name, LIMITS.optionValue) };
}
