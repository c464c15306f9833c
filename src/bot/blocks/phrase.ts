import { type Moment, type Phrase, phraseText } from '../../incident/phrase.ts';
import { agoToken, code, dateToken, escapeMrkdwn } from './mrkdwn.ts';
import { byName, type Who } from './people-words.ts';

const NAME_LENGTH = 80;

/** A phrase as mrkdwn: services as code, times in the reader's time zone. */
export function phrase(words: Phrase, who: Who = byName, nameLength = NAME_LENGTH): string {
  const literal = words.map((part) => (typeof part === 'string' ? escapeMrkdwn(part, part.length * 5) : part));
  return phraseText(literal, { moment, person: who, service: (name) => code(name, nameLength) });
}

function moment({ at, as }: Moment): string {
  return as === 'ago' ? agoToken(at) : dateToken(at);
}
