import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeIssue } from './describe-issue.ts';

const Message = z.object({
  name: z.string().min(1).max(5),
  kind: z.discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })]),
  version: z.literal('4'),
  colour: z.enum(['red', 'green']),
  events: z.array(z.string()).min(1).max(2),
  at: z.iso.datetime({ offset: true }),
  size: z.number().max(3),
  own: z.string().regex(/^x/, 'must begin with x'),
});

const RIGHT = {
  name: 'ana',
  kind: { type: 'a' },
  version: '4',
  colour: 'red',
  events: ['one'],
  at: '2026-01-31T08:00:00Z',
  size: 1,
  own: 'x',
};

it.each([
  [{ name: undefined }, 'is required'],
  [{ name: 7 }, 'must be text'],
  [{ name: '' }, 'must not be empty'],
  [{ name: 'anabel' }, 'must have at most 5 characters'],
  [{ kind: {} }, 'must be one of a, b'],
  [{ kind: { type: 'c' } }, 'must be one of a, b'],
  [{ version: '3' }, 'must be 4'],
  [{ colour: 'blue' }, 'must be one of red, green'],
  [{ events: {} }, 'must be a list'],
  [{ events: [] }, 'must not be empty'],
  [{ events: ['one', 'two', 'three'] }, 'must have at most 2 items'],
  [{ at: 'yesterday' }, 'must be a time such as 2026-01-31T08:00:00Z'],
  [{ size: 4 }, 'must be at most 3'],
  [{ own: 'y' }, 'must begin with x'],
])('says of %j that it %s', (wrong, words) => {
  const { error } = Message.safeParse({ ...RIGHT, ...wrong }, { error: describeIssue });

  expect(error?.issues.map(({ message }) => message)).toEqual([words]);
});
