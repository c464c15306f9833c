import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Env } from '../../src/config/settings.ts';

const SETTING = /`([A-Z][A-Z0-9_]+)`/g;

it('docs/settings.md describes every setting, and no other', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/settings.md'), 'utf8');
  const firstColumn = page.split('\n').map((line) => line.split('|')[1] ?? '');

  const described = firstColumn.flatMap((cell) => [...cell.matchAll(SETTING)].map(([, name]) => name));

  expect(new Set(described)).toEqual(new Set(Object.keys(Env.shape)));
  expect(described).toHaveLength(Object.keys(Env.shape).length);
});
