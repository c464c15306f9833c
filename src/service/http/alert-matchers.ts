import { RequestError } from './problem.ts';

const MATCHER = /^\s*\{?\s*([a-zA-Z_][\w.]*)\s*(=~|!~|!=|=)\s*("(?:[^"\\]|\\.)*"|[^",}]*)\s*\}?\s*$/;
const MAX_LENGTH = 1_000;

/** One matcher of Alertmanager's syntax. */
interface Matcher {
  readonly name: string;
  readonly value: string;
  readonly isEqual: boolean;
}

/**
 * Reads the matchers of `amtool`: `service="payments"`, `severity!=info`.
 *
 * @returns whether labels match all of them
 * @throws {RequestError} for regular expressions too, which could take long
 */
export function readMatchers(texts: readonly string[]): (labels: Readonly<Record<string, string>>) => boolean {
  const matchers = texts.map(readMatcher);
  return (labels) => matchers.every(({ name, value, isEqual }) => ((labels[name] ?? '') === value) === isEqual);
}

function readMatcher(text: string): Matcher {
  const [, name, operator, quoted = ''] = text.length > MAX_LENGTH ? [] : (MATCHER.exec(text) ?? []);
  if (name === undefined || operator === undefined) {
    throw new RequestError('invalid-query', 'filter: must be a matcher such as service="payments"');
  }
  if (operator.endsWith('~')) {
    throw new RequestError('invalid-query', 'filter: regular expressions are not supported; use = or !=');
  }
  const value = quoted.startsWith('"') ? unquote(quoted) : quoted.trim();
  return { name, value, isEqual: operator === '=' };
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    throw new RequestError('invalid-query', 'filter: must be a matcher such as service="payments"');
  }
}
