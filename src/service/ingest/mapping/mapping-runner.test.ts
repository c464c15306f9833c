import { describe, expect, it } from 'vitest';
import { OverloadedError } from '../../core/errors.ts';
import { compileMapping, describeExpressionFault } from './mapping.ts';
import { createMappingRunner, MappingPausedError, MappingTooCostlyError } from './mapping-runner.ts';

const BODY = {
  alert: { name: 'Disk full', id: 17, ok: false },
  host: 'db-1',
  tags: [{ key: 'service', value: 'orders' }],
};

describe('a mapping', () => {
  it.each<[string, string | null]>([
    ['body.alert.name', 'Disk full'],
    ['body.alert.name + " on " + body.host', 'Disk full on db-1'],
    ['string(body.alert.id)', '17'],
    ['body.alert.id', '17'],
    ['body.alert.ok', 'false'],
    ['body.alert.id > 3 ? "critical" : "warning"', 'critical'],
    ['body.tags.filter(t, t.key == "service")[0].value', 'orders'],
    ['has(body.alert.title) ? body.alert.title : body.host', 'db-1'],
    ['body.alert.title', null],
    ['body.alert', null],
    ['body.tags[7].value', null],
    ['body.constructor', null],
    ['body.__proto__', null],
    ['body.nothing\nbody.host', 'db-1'],
    ['parseJson("[7]")[0]', '7'],
    ['parseJson(body.host)', null],
    ['body.host +', null],
    ['body.host +\nbody.host', 'db-1'],
    ...['$HOST', '\u0024{host}', '{{ host }}', '%HOST%', '{HOST.NAME}', '$HOSTNAME$', '*UNKNOWN*', 'null', ' '].map(
      (text): [string, null] => [JSON.stringify(text), null],
    ),
  ])('reads %s as %j', (title, expected) => {
    expect(compileMapping({ title })(BODY)[0]?.title).toBe(expected);
  });

  it.each([
    ['body.a +', /Unexpected/],
    ['process.exit()', /process|Unknown/],
    ['body.'.repeat(1) + Array.from({ length: 30 }, () => 'a').join('.'), /[Ee]xceeded|depth|limit/],
    [Array.from({ length: 150 }, () => '1').join(' + '), /[Ee]xceeded|depth|limit/],
  ])('refuses %s with a sentence', (expression, sentence) => {
    expect(describeExpressionFault(expression)).toMatch(sentence);
  });
});

/** Expressions and bodies that would block a process. */
const HOSTILE: readonly [string, string, unknown][] = [
  ['backtracking', 'body.s.matches("^(a+)+$") ? "x" : "y"', { s: `${'a'.repeat(40)}!` }],
  [
    'loops in loops',
    'string(body.l.map(a, body.l.map(b, body.l.filter(c, c == a).size())).size())',
    { l: Array.from({ length: 2_000 }, (_, index) => index) },
  ],
  [
    'text that grows',
    'string(body.l.map(a, body.s + body.s).join(body.s).split("").map(x, x + body.s).join(body.s).size())',
    { l: Array.from({ length: 5_000 }, () => 1), s: 'x'.repeat(20_000) },
  ],
];

describe('the thread of mappings', () => {
  it('answers for each body, in order', async () => {
    await using runner = createMappingRunner();

    const mapped = await Promise.all(
      ['a', 'b', 'c'].map((host) => runner.run({ title: 'body.host' }, [{ host }, { host: `${host}2` }])),
    );

    expect(mapped.map((bodies) => bodies.map(([event]) => event?.title))).toEqual([
      ['a', 'a2'],
      ['b', 'b2'],
      ['c', 'c2'],
    ]);
  });

  it.each(HOSTILE)('ends %s, goes on with others, and does not try it again', async (_, title, body) => {
    await using runner = createMappingRunner();
    await runner.run({ title: '"warm"' }, [{}]);

    const hostile = await runner.run({ title }, [body]).catch((error: unknown) => error);
    const other = await runner.run({ title: 'body.host' }, [{ host: 'db-1' }]);
    const again = await runner.run({ title }, [body]).catch((error: unknown) => error);

    expect(hostile).toBeInstanceOf(MappingTooCostlyError);
    expect(other).toMatchObject([[{ title: 'db-1' }]]);
    expect(hostile).not.toBeInstanceOf(MappingPausedError);
    expect(again).toBeInstanceOf(MappingPausedError);
    expect(again).toHaveProperty(
      'retryAfterSeconds',
      expect.toSatisfy((seconds) => seconds > 0 && seconds <= 31),
    );
  });

  it('lets a limited number of requests wait', async () => {
    await using runner = createMappingRunner();
    const all = Array.from({ length: 201 }, () => runner.run({ title: 'body.host' }, [{ host: 'a' }]));

    const outcomes = await Promise.allSettled(all);

    expect(outcomes.slice(0, 200).every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(outcomes[200]).toMatchObject({ status: 'rejected', reason: expect.any(OverloadedError) });
  });
});
