import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const find = (...patterns: string[]): string[] => globSync(patterns, { cwd: ROOT }).toSorted();

it('every picture is on a page of the docs, and every picture that a page names exists', async () => {
  const pages = find('README.md', 'docs/**/*.md', 'packages/*/README.md');

  const named = await Promise.all(
    pages.map(async (page) => {
      const text = await readFile(join(ROOT, page), 'utf8');
      return [...text.matchAll(/[\w./-]+\.(?:png|svg)/g)].map(([path]) => join(dirname(page), path));
    }),
  );

  expect([...new Set(named.flat())].toSorted()).toEqual(find('docs/**/*.{png,svg}', 'packages/*/docs/**/*.{png,svg}'));
});
