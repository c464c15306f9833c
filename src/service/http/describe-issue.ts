import type { z } from 'zod';

/** Describes what is wrong with a value in terms of JSON. undefined: zod's own message is used. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) {
    return 'is required';
  }
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${NOUNS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`;
    case 'invalid_union':
      return Array.isArray(issue.options) ? `must be ${oneOf(issue.options)}` : undefined;
    case 'too_small':
      return issue.minimum === 1 && issue.origin !== 'number'
        ? 'must not be empty'
        : `must ${measure('at least', issue.minimum, issue.origin)}`;
    case 'too_big':
      return `must ${measure('at most', issue.maximum, issue.origin)}`;
    case 'invalid_format':
      return issue.format === 'datetime' ? 'must be a time such as 2026-01-31T08:00:00Z' : undefined;
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return undefined;
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'items' };

function measure(bound: string, size: number | bigint, origin: string): string {
  const unit = UNITS[origin];
  return unit === undefined ? `be ${bound} ${size}` : `have ${bound} ${size} ${unit}`;
}

function oneOf(values: readonly unknown[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;
}
