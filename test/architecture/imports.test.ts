import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { circle, faultOf, readImportTable, rowOf } from './import-table.ts';

const rows = readImportTable();
const files = globSync('{src,packages/*/src,examples,bench}/**/*.{ts,tsx,js}').filter(
  (file) => !file.includes('.test.ts'),
);

/** Static imports and exports, types of JSDoc, and `import()`. */
const IMPORTS =
  /^(?:\/\*\* @)?(?:import|export)\s[\w$*,{}\s]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'/gm;

function importsOf(code: string): string[] {
  return [...code.matchAll(IMPORTS)].flatMap((match) => match.slice(1).find((name) => name !== undefined) ?? []);
}

it('imports only what the tables of docs/ARCHITECTURE.md allow', () => {
  const imports = files.flatMap((file) => importsOf(readFileSync(file, 'utf8')).map((name) => ({ file, name })));

  expect(imports.length).toBeGreaterThan(files.length);
  expect(imports.flatMap(({ file, name }) => faultOf(file, name, rows) ?? [])).toEqual([]);
});

it('has a row for every folder, and a folder for every row', () => {
  const named = rows.flatMap(({ place, mayImport }) => [place, ...mayImport]);

  expect(files.filter((file) => rowOf(file, rows) === null)).toEqual([]);
  expect(named.filter((place) => !existsSync(place.replace(/\*.*/, '')))).toEqual([]);
});

it('has no rows that import each other in a circle', () => {
  expect(circle(rows)).toEqual([]);
});

it.each([
  ['src/bot/newpart/x.ts', '../feed/feed.ts', 'no row for its folder'],
  ['src/bot/bot.ts', './newpart/x.ts', 'no row for that folder'],
  ['src/service/newpart/x.ts', '../dashboard/dashboard.tsx', 'no row for its folder'],
  ['src/service/store/schema/tables.ts', '../../dashboard/dashboard.tsx', 'does not allow it'],
  ['src/bot/bot.ts', '../service/service.ts', 'does not allow it'],
  ['src/service/core/incident.ts', 'node:fs', 'lacks the package'],
  ['src/bot/bot.ts', 'local-slack', 'lacks the package'],
  ['packages/local-slack/src/local-slack.ts', '../../../src/main.ts', 'does not allow it'],
])('refuses that %s imports %s', (file, specifier, reason) => {
  expect(faultOf(file, specifier, rows)).toContain(reason);
});

it.each([
  ["import {\n  a,\n  type B,\n} from './a.ts';", './a.ts'],
  ["export * from '../b.ts';", '../b.ts'],
  ["import 'c';", 'c'],
  ["const { d } = await import('./d.ts');", './d.ts'],
  ["/** @import { E } from './e.ts' */", './e.ts'],
])('finds the import in %j', (code, specifier) => {
  expect(importsOf(code)).toEqual([specifier]);
});
