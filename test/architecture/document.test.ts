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

/** Names of the tables in the type of a database. */
function tablesIn(file: string, type: string): string[] {
  const [, after = ''] = readFileSync(file, 'utf8').split(`export interface ${type} {\n`);
  const [body = ''] = after.split('\n}\n');
  return [...body.matchAll(/^ {2}(\w+): /gm)].flatMap(([, name]) => name ?? []);
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

it("counts the bot's tables and loops", () => {
  const [tables, loops] = [tablesIn('src/bot/store/tables.ts', 'Tables'), loopsIn('src/bot')];

  expect(countOf(bot, 'tables')).toEqual({ number: tables.length, names: expect.arrayContaining(tables) });
  expect(countOf(bot, 'loops')).toEqual({ number: loops.length, names: expect.arrayContaining(loops) });
});

it("counts the service's tables and loops", () => {
  const [tables, loops] = [tablesIn('src/service/store/schema/tables.ts', 'ServiceTables'), loopsIn('src/service')];

  expect(countOf(service, 'tables').number).toBe(tables.length);
  expect(countOf(service, 'loops')).toEqual({ number: loops.length, names: expect.arrayContaining(loops) });
});
