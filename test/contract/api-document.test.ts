import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { routes } from '../../src/contract/routes.ts';

/** The rows of the first table below the heading. */
const ROWS = /(?<=^## Calls\n(?:(?!\|).*\n)*\|.*\n\|[ -|]*\n)(?:\|.*\n)*/m;

it('docs/api.md has the calls of the contract; `vitest run test/contract/api-document.test.ts -u` updates them', async () => {
  const path = join(import.meta.dirname, '../../docs/api.md');
  const document = await readFile(path, 'utf8');
  const calls = Object.values(routes).map(({ method, path, summary }) => `| \`${method} ${path}\` | ${summary} |\n`);

  expect(document).toMatch(ROWS);
  await expect(document.replace(ROWS, calls.join(''))).toMatchFileSnapshot(path);
});
