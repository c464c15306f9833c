import { expect, it } from 'vitest';
import { type Actor, isSameActor, nameOf, VERIFIED_ID } from './actor.ts';

it.each<[Actor, string]>([
  [{ by: 'Ana' }, 'Ana'],
  [{ by: 'Ana', byId: null }, 'Ana'],
  [{ by: 'Ana', byId: 'email:ana@example.com' }, 'Ana'],
  [{ by: 'Ana', byId: 'key:ops' }, 'Ana (by key ops)'],
  [{ by: 'ops', byId: 'key:ops' }, 'key ops'],
  [{ by: '\u202Eana\u2067', byId: 'key:\u202Eops' }, 'ana (by key ops)'],
])('names %j as %s', (actor, name) => {
  expect(nameOf(actor)).toBe(name);
});

it.each<[Actor, Actor, boolean]>([
  [{ by: 'Ana', byId: 'email:a@b.c' }, { by: 'ana@b.c', byId: 'email:a@b.c' }, true],
  [{ by: 'Ana', byId: 'email:a@b.c' }, { by: 'Ana', byId: 'email:x@b.c' }, false],
  [{ by: 'Ana', byId: 'key:ops' }, { by: 'Ben', byId: 'key:ops' }, false],
  [{ by: 'Ana', byId: 'key:ops' }, { by: 'Ana', byId: 'key:ops' }, true],
  [{ by: 'Ana', byId: 'key:ops' }, { by: 'Ana' }, false],
  [{ by: 'Ana' }, { by: 'Ana' }, true],
])('tells whether %j and %j are the same: %s', (one, other, same) => {
  expect(isSameActor(one, other)).toBe(same);
});

it('takes no id of a key from a caller', () => {
  expect(
    ['email:a@b.c', 'slack:U1', 'openid:1', 'key:ops', 'console:admin', 'email:'].filter((id) => VERIFIED_ID.test(id)),
  ).toEqual(['email:a@b.c', 'slack:U1', 'openid:1']);
});
