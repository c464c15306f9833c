import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const document = readFileSync('docs/ARCHITECTURE.md', 'utf8');
const [, whereToChange = ''] = document.split('## Where to change what');
const [, bot = ''] = document.split('\nThe bot has\n');
const [, service = ''] = document.split('\nThe service has\n');

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, name]) => name ?? []);
}

/** The number and the names in an item of a list such as "- 9 tables: `messages`, `incidents`;". */
function countOf(list: string, what: string): { number: number; names: string[] } {
  const [, number = '', item = ''] = new RegExp(`^- (\\d+) ${what}([^;]*);`, 'm').exec(list) ?? [];
  const [, names = ''] = item.split(':');
  return { number: Number(number), names: namesIn(names) };
}

/** Names of the tables in the type of a database, wherever in the folder they are added to it. */
function tablesIn(folder: string, type: string): string[] {
  return globSync(`${folder}/**/*.ts`).flatMap((file) => {
    const [, ...parts] = readFileSync(file, 'utf8').split(new RegExp(`^( *)(?:export )?interface ${type} \\{\n`, 'm'));
    const [indent = '', after = ''] = parts;
    const [body = ''] = after.split(`\n${indent}}\n`);
    return [...body.matchAll(new RegExp(`^${indent} {2}(\\w+): `, 'gm'))].flatMap(([, name]) => name ?? []);
  });
}

function loopsIn(folder: string): string[] {
  return globSync(`${folder}/**/*.ts`)
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/createLoop\(\{\s*name: '([^']+)'/g)])
    .flatMap(([, name]) => name ?? [])
    .toSorted();
}

it('names files that exist, in its text and where it says what to change', () => {
  const inText = namesIn(document.replaceAll(/^\|.*$/gm, '')).filter((name) => /\/.*\.\w+$/.test(name));
  const paths = [...inText, ...namesIn(whereToChange)]
    .filter((name) => /\/|\.\w+$/.test(name))
    .map((name) => name.replace(/<.*/, ''));

  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !existsSync(path) && !existsSync(`src/${path}`))).toEqual([]);
});

/** Lines of the code of a folder, without tests. */
function linesIn(folder: string): number {
  return globSync(`${folder}/**/*.{ts,tsx}`)
    .filter((file) => !file.includes('.test.'))
    .reduce((lines, file) => lines + readFileSync(file, 'utf8').split('\n').length - 1, 0);
}

/** A row of the table of changes: an example that exists, and the files that one like it touches. */
interface Change {
  readonly example: string;
  /** Patterns for `globSync`. */
  readonly paths: readonly string[];
}

function changesIn(table: string): Change[] {
  return [...table.matchAll(/^\| [^|]+ \| `(\w+)` \| (.+) \|$/gm)].map(([, example = '', cell = '']) => ({
    example,
    paths: namesIn(cell)
      .filter((name) => /\/.*\.\w+$|^\w+\.\w+$/.test(name))
      .map((name) => name.replace(/<(kind|type|button)>/, example.replaceAll('_', '-')).replaceAll(/<[^>]+>/g, '*'))
      .map((path) =>
        path.startsWith('test/') || path.startsWith('docs/') || !path.includes('/') ? path : `src/${path}`,
      ),
  }));
}

/** In any of its spellings: `use_note`, `useNote`, `use-note` and `USE_NOTE`. */
function mentions(file: string, example: string): boolean {
  const spelling = example.replaceAll('_', '[_-]?');
  return new RegExp(spelling, 'i').test(readFileSync(file, 'utf8'));
}

it('names files that handle the example of each change', () => {
  const changes = changesIn(whereToChange);
  const unhandled = changes.flatMap(({ example, paths }) =>
    paths
      .filter((path) => !globSync(path).some((file) => mentions(file, example)))
      .map((path) => `${example}: ${path}`),
  );

  expect(changes.length).toBeGreaterThan(10);
  expect(unhandled).toEqual([]);
});

it('says how large the parts are', () => {
  const rows = [...document.matchAll(/^\| `([^`]+)` +\| ([\d,]+) +\|$/gm)];
  const drifted = rows
    .map(([, folder = '', told = '']) => ({ folder, told: Number(told.replaceAll(',', '')), is: linesIn(folder) }))
    .filter(({ told, is }) => Math.abs(told - is) > is / 10);

  expect(rows.length).toBe(8);
  expect(drifted).toEqual([]);
});

it("counts the bot's tables and loops", () => {
  const [tables, loops] = [tablesIn('src/bot', 'Tables'), [...loopsIn('src/bot'), ...loopsIn('src/effects')]];

  expect(countOf(bot, 'tables')).toEqual({ number: tables.length, names: expect.arrayContaining(tables) });
  expect(countOf(bot, 'loops')).toEqual({ number: loops.length, names: expect.arrayContaining(loops) });
});

it("counts the service's tables and loops", () => {
  const [tables, loops] = [tablesIn('src/service/store/schema', 'ServiceTables'), loopsIn('src/service')];

  expect(countOf(service, 'tables').number).toBe(tables.length);
  expect(countOf(service, 'loops')).toEqual({ number: loops.length, names: expect.arrayContaining(loops) });
});
