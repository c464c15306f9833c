import { expect, it } from 'vitest';
import { whyNoPager } from './no-pager.ts';

it('finds nothing against an installation on servers, and three things against a laptop', () => {
  expect(whyNoPager({ isEmbedded: false, isWatched: true, publicUrl: 'https://tocsin.example.com' })).toEqual([]);
  expect(whyNoPager({ isEmbedded: true, isWatched: false, publicUrl: 'http://127.0.0.1:3000' })).toHaveLength(3);
});
