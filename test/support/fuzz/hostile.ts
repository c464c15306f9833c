import fc from 'fast-check';
import type { Description, Schema } from './operations.ts';

const hostileTime = fc.constantFrom(
  '-005000-01-01T00:00:00Z',
  '-271820-01-01T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59.999-23:59',
  '2026-02-30T00:00:00Z',
  '-1',
  'foo 1',
);

/** Values that have broken services: injection, encodings, bounds of numbers and times, sizes. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: hostileTime },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '\0',
      'a\0b',
      '\ud800',
      '\ufffe\uffff',
      '\u202e\u200b',
      '%',
      '%00',
      '%ff',
      '%c0%ae',
      '..',
      '../../etc/passwd',
      "' or 1=1 --",
      '"; drop table incidents; --',
      '<script>alert(1)</script>',
      '{{7*7}}',
      '__proto__',
      'constructor',
      'null',
      'NaN',
      '-1',
      '1e999',
      '9'.repeat(30),
      'http://127.0.0.1:1/',
      'http://[::1]/',
      'javascript:alert(1)',
      'a'.repeat(255),
      'a'.repeat(5_000),
      '\u{1f4a5}'.repeat(300),
    ),
  },
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
);

const hostileNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 0.1, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, -1e308, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  { weight: 2, arbitrary: hostileNumber },
  fc.constantFrom(null, true, false, [], {}, [[]], [null], { a: {} }),
  fc.jsonValue({ maxDepth: 3, noUnicodeString: false }),
  fc.constantFrom(10, 200).map((depth) => nest(depth)),
  fc.constant(Array.from({ length: 2_000 }, (_, index) => index)),
);

function nest(depth: number): unknown {
  return depth === 0 ? 1 : [nest(depth - 1)];
}

/** Values that a JSON schema describes. Formats and patterns are met for some texts only. */
export function matching(schema: Schema, description: Description): fc.Arbitrary<unknown> {
  const { $ref, const: constant, enum: options, type, format } = schema;
  const choices = schema.oneOf ?? schema.anyOf;
  if (typeof $ref === 'string') {
    return matching(description.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, description);
  }
  if (constant !== undefined) {
    return fc.constant(constant);
  }
  if (Array.isArray(options)) {
    return fc.constantFrom(...options);
  }
  if (Array.isArray(choices)) {
    return fc.oneof(...choices.map((choice: Schema) => matching(choice, description)));
  }
  switch (type) {
    case 'object':
      return matchingObject(schema, description);
    case 'array':
      return fc.array(matching((schema.items ?? {}) as Schema, description), { minLength: 1, maxLength: 3 });
    case 'integer':
    case 'number':
      return fc.nat(300);
    case 'boolean':
      return fc.boolean();
    case 'string':
      return format === 'date-time' ? TIMES : fc.constantFrom('payments', 'ana', '1', 'none', URL_TEXT);
    default:
      return fc.constantFrom('payments', 1, {});
  }
}

/** A webhook to this address is refused, so that no test sends one. */
const URL_TEXT = 'http://127.0.0.1:1/';
const TIMES = fc.constantFrom('2026-01-31T08:00:00Z', '2026-01-31T08:00:00.123456789+05:30', '1970-01-01T00:00:00Z');

function matchingObject(schema: Schema, description: Description): fc.Arbitrary<unknown> {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
  const requiredKeys = (schema.required ?? []) as string[];
  const fields = Object.entries(properties).map(([name, each]) => [name, matching(each, description)]);
  return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys });
}

/** Changes some values of a JSON value: replaces, removes, adds or repeats them. */
export function mutated(base: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    how: fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat'),
    value: hostileValue,
    key: hostileText,
  });
  return fc
    .tuple(base, fc.array(change, { maxLength: 3 }))
    .map(([value, changes]) =>
      changes.reduce<unknown>(
        (changed, { value: next, ...change }) =>
          applyChange(structuredClone(changed), { ...change, value: structuredClone(next) }),
        value,
      ),
    );
}

interface Change {
  /** Position among all places of the value, from 0 to 1. */
  readonly at: number;
  readonly how: string;
  readonly value: unknown;
  readonly key: string;
}

function applyChange(root: unknown, { at, how, value, key }: Change): unknown {
  const places = listPlaces(root);
  const place = places[Math.min(places.length - 1, Math.floor(at * places.length))];
  if (place === undefined) {
    return value;
  }
  const { parent, name } = place;
  switch (how) {
    case 'remove':
      delete parent[name];
      break;
    case 'add':
      parent[Array.isArray(parent) ? parent.length : key] = value;
      break;
    case 'repeat':
      parent[name] = Array.from({ length: 50 }, () => parent[name]);
      break;
    default:
      parent[name] = value;
  }
  return root;
}

interface Place {
  readonly parent: Record<string | number, unknown>;
  readonly name: string;
}

function listPlaces(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const parent = value as Place['parent'];
  return Object.entries(parent).flatMap(([name, child]) => [{ parent, name }, ...listPlaces(child)]);
}

/** Text that `Headers` accepts. */
export const hostileHeader: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', '*', '"', 'W/"', 'null', '0', '-1', 'a'.repeat(5_000), '\u00ff\u00fe', 'Bearer', '%00', '{}'),
  fc.string({ maxLength: 30 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, '')),
);

/** One segment of a path, percent-encoded or not. */
export const hostileSegment: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('%00', '%ff', '%', '%zz', '..%2f..', '%2e%2e', '%2500', '#', ';', '1', '0', '-1', '9'.repeat(40)),
  hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
);
