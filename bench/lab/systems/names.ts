import { chance, pick, type Random, wholeBetween } from '../random.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { PlaceKind } from './system.ts';

/** Makes names up; no name comes twice. */
export interface Namer {
  readonly place: (kind: PlaceKind) => string;
  readonly operation: (kind: PlaceKind) => string;
  readonly step: () => string;
}

export function createNamer(random: Random, words: Vocabulary): Namer {
  const taken = new Set<string>();
  const unique = (make: () => string): string => {
    for (;;) {
      const name = make();
      if (!taken.has(name)) {
        taken.add(name);
        return name;
      }
    }
  };
  const style = pick(random, ['rest', 'rpc', 'function', 'rest']);
  return {
    place: (kind) => unique(() => placeName(random, words, kind)),
    operation: (kind) => unique(() => operationName(random, words, kind, style)),
    step: () => `${pick(random, words.verbs)}${pick(random, ['.', '_', ' '])}${pick(random, words.nouns)}`,
  };
}

function placeName(random: Random, words: Vocabulary, kind: PlaceKind): string {
  const stem = chance(random, 0.5) ? pick(random, words.nouns) : madeUp(random, words);
  switch (kind) {
    case 'service':
      return `${stem}${chance(random, 0.2) ? `-${pick(random, words.nouns)}` : ''}${pick(random, words.suffixes)}`;
    case 'database':
      return pick(random, words.databases).replace('{}', stem);
    case 'cache':
      return pick(random, words.caches).replace('{}', stem);
    case 'vendor':
      return pick(random, words.vendors).replace('{}', madeUp(random, words));
    case 'queue':
      return pick(random, words.queues).replace('{}', stem);
  }
}

function madeUp(random: Random, { syllables }: Vocabulary): string {
  return Array.from({ length: wholeBetween(random, 2, 3) }, () => pick(random, syllables)).join('');
}

function operationName(random: Random, words: Vocabulary, kind: PlaceKind, style: string): string {
  const noun = chance(random, 0.7) ? pick(random, words.nouns) : madeUp(random, words);
  const verb = pick(random, words.verbs);
  switch (kind) {
    case 'database':
      return `${pick(random, ['SELECT', 'INSERT', 'UPDATE', 'find', 'query'])} ${noun}${wholeBetween(random, 1, 99)}`;
    case 'cache':
      return `${pick(random, ['GET', 'MGET', 'HGETALL', 'get'])} ${noun}:${verb}`;
    case 'queue':
      return `${noun} ${pick(random, ['publish', 'send', 'receive'])}`;
    case 'vendor':
    case 'service':
      return requestName(random, style, noun, verb);
  }
}

function requestName(random: Random, style: string, noun: string, verb: string): string {
  if (style === 'rest') {
    const method = pick(random, ['GET', 'POST', 'PUT', 'GET']);
    return `${method} /${pick(random, ['', 'v1/', 'api/'])}${noun}s/${pick(random, ['', '{id}', verb])}`;
  }
  const [first = '', ...rest] = noun;
  const title = `${first.toUpperCase()}${rest.join('')}`;
  return style === 'rpc' ? `${noun}.${title}Service/${verb}${title}` : `${verb}${title}`;
}
