import { expect, it } from 'vitest';
import { declaredSignal } from './declared-signal.ts';

const DECLARATION = { key: '1', title: 'full', service: 'web', severity: 'error', actor: null } as const;

it('has the addresses in what is known as its links', () => {
  const note = 'see https://a.example/x), <https://b.example|b>, http://user:pw@c.example and ftp://d.example';

  const { links } = declaredSignal({ ...DECLARATION, note }, new Date());

  expect(links).toEqual([
    { kind: 'generator', url: 'https://a.example/x' },
    { kind: 'generator', url: 'https://b.example/' },
  ]);
});

it('has no links without a note', () => {
  expect(declaredSignal({ ...DECLARATION, note: null }, new Date()).links).toEqual([]);
});
