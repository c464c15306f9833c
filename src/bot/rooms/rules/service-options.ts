import type { PlainTextOption } from '@slack/types';
import { LIMITS } from '../../blocks/limits.ts';
import { cut, plainText } from '../../blocks/mrkdwn.ts';

/** Names of known services in one list; two more options are for what was typed. */
export const MOST_SERVICE_OPTIONS = 98;

const LONGEST_NAME = LIMITS.optionValue;

/** The option for a service of a rule. A name that does not fit becomes all names that begin like it. */
export function serviceOption(name: string): PlainTextOption {
  const whole = name.toWellFormed();
  const beginning = whole.slice(0, LONGEST_NAME - 1).replace(/[\ud800-\udbff]$/, '');
  const value = whole.length <= LONGEST_NAME ? whole : `${beginning}*`;
  return { text: plainText(value, LIMITS.optionText), value };
}

/**
 * What the field of services offers: known services, then the typed text as it is, because a rule may be for services
 * that never failed.
 *
 * @param known services whose name contains the typed text
 */
export function serviceOptions(typed: string, known: readonly string[]): PlainTextOption[] {
  const names = known.filter((name) => name.trim() !== '' && !name.includes(',')).slice(0, MOST_SERVICE_OPTIONS);
  const word = cut(typed.replace(/\s+/g, ' ').trim(), LONGEST_NAME - 1).replace(/…$/, '*');
  const offered = new Map(names.map((name) => [name.toLowerCase(), serviceOption(name)]));
  const add = (value: string, description: string) => {
    if (!offered.has(value.toLowerCase())) {
      offered.set(value.toLowerCase(), {
        ...serviceOption(value),
        description: plainText(description, LIMITS.optionText),
      });
    }
  };
  if (word.includes(',')) {
    add(word, 'These services');
  } else if (word.endsWith('*')) {
    add(word, 'All services whose name begins like this');
  } else if (word !== '') {
    add(word, 'No incident of this service yet');
    add(`${word}*`, 'All services whose name begins like this');
  }
  return [...new Map([...offered.values()].map((option) => [option.value, option])).values()];
}
