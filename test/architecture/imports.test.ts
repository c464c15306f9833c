import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { circle, faultOf, importsOfRows, readImportTable, rowOf } from './import-table.ts';

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

it('imports only what the tables of imports.md allow', () => {
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
  expect(circle(importsOfRows(rows))).toEqual([]);
});

it('has no files that import each other in a circle, types included', () => {
  const own = files.filter((file) => /^(src|packages)\//.test(file));
  const imports = own.map((file) => {
    const names = importsOf(readFileSync(file, 'utf8')).filter((name) => name.startsWith('.'));
    return [file, names.map((name) => join(dirname(file), name))] as const;
  });

  expect(circle(new Map(imports))).toEqual([]);
});

it.each([
  ['src/newpart/x.ts', '../bot/feed/feed.ts', 'no row for its folder'],
  ['src/bot/bot.ts', '../newpart/x.ts', 'no row for that folder'],
  ['src/service/newpart/x.ts', '../dashboard/dashboard.tsx', 'no row for its folder'],
  ['src/service/store/schema/tables.ts', '../../dashboard/dashboard.tsx', 'does not allow it'],
  ['src/bot/bot.ts', '../service/service.ts', 'does not allow it'],
  ['src/service/core/incident.ts', 'node:fs', 'lacks the package'],
  ['src/bot/bot.ts', 'local-slack', 'lacks the package'],
  ['src/bot/bot.ts', 'date-fns/addDays', 'lacks the package'],
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
