import { expect, it } from 'vitest';
import { type Erased, erase, namesBeside } from './erase-values.ts';

const ANA: Erased = {
  ids: ['email:ana@example.com', 'slack:U0ANA'],
  words: ['ana@example.com', 'U0ANA'],
  names: new Set(['Ana', 'Ana Duarte']),
  ownNames: new Set(['Ana Duarte']),
  name: 'former member 1',
  id: 'erased:1',
};

it.each([
  ['an id, in any case', 'slack:u0ana', 'erased:1'],
  ['a mention', 'taken by <@U0ANA|ana>, told to <@U0BEN>', 'taken by former member 1, told to <@U0BEN>'],
  ['an address in a sentence', 'ask ana@example.com.', 'ask former member 1.'],
  [
    'an address that only ends alike',
    'joana@example.com and ana@example.com.pt',
    'joana@example.com and ana@example.com.pt',
  ],
  ['a longer id', 'U0ANA2', 'U0ANA2'],
  ['a name in a sentence', 'Ana restarted it', 'Ana restarted it'],
])('erases %s', (_, before, after) => {
  expect(erase(before, ANA)).toBe(after);
});

it.each([
  {
    what: 'a name beside its id',
    before: { by: 'Ana', by_id: 'slack:U0ANA', at: 1 },
    after: { by: 'former member 1', by_id: 'erased:1', at: 1 },
  },
  {
    what: 'a name beside an id of another kind',
    before: { slack_user_id: 'U0ANA', name: 'Ana' },
    after: { slack_user_id: 'former member 1', name: 'former member 1' },
  },
  {
    what: 'only the one of two who have the name',
    before: { taken_by: 'Ana', taken_by_id: 'slack:U0ANA', closed_by: 'Ana', closed_by_id: 'slack:U0OTHER' },
    after: { taken_by: 'former member 1', taken_by_id: 'erased:1', closed_by: 'Ana', closed_by_id: 'slack:U0OTHER' },
  },
  { what: 'no name that nothing says is theirs', before: { service: 'Ana' }, after: { service: 'Ana' } },
  {
    what: 'a name without an id that nobody else has, where it says who did something',
    before: { declared_by: 'Ana Duarte', takenBy: 'Ana Duarte', by: 'Ana', service: 'Ana Duarte' },
    after: { declared_by: 'former member 1', takenBy: 'former member 1', by: 'Ana', service: 'Ana Duarte' },
  },
  {
    what: 'no name that an id says is of somebody else',
    before: { by: 'Ana Duarte', by_id: 'slack:U0OTHER' },
    after: { by: 'Ana Duarte', by_id: 'slack:U0OTHER' },
  },
  { what: 'deep in lists', before: { seen: [{ id: ['U0ANA'] }] }, after: { seen: [{ id: ['former member 1'] }] } },
])('erases $what', ({ before, after }) => {
  expect(erase(before, ANA)).toEqual(after);
});

it('finds the names that stand beside an id', () => {
  const row = {
    by: 'Ana D.',
    by_id: 'slack:U0ANA',
    data: [{ author: 'ana', authorId: 'email:ana@example.com' }],
    who: 'x',
  };

  expect(namesBeside(row, ANA)).toEqual(['Ana D.', 'ana']);
});
