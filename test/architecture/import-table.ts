import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A row of the tables "Who may import whom" in test/architecture/imports.md. Paths start at the root of the repository. */
export interface Row {
  /** `src/bot/slack/`: all below it; `src/bot/*.ts`: the files of the folder itself; `src/service/metrics.ts`: a file. */
  readonly place: string;
  readonly mayImport: readonly string[];
  /** Names of packages; `any`: every package but local Slack and date-fns. */
  readonly packages: readonly string[];
}

const HEADER = /^\| folder of `([^`]*)`/;
/** Folders of the repository that stand beside `src/`. */
const OUTSIDE_SRC = /^(bench|examples|test)\//;

export function readImportTable(): Row[] {
  const rows: Row[] = [];
  let base: string | null = null;
  for (const line of readFileSync('test/architecture/imports.md', 'utf8').split('\n')) {
    base = HEADER.exec(line)?.[1] ?? (line.startsWith('|') ? base : null);
    if (base !== null && line.startsWith('| `')) {
      rows.push(...rowsOf(line, base));
    }
  }
  return rows;
}

function rowsOf(line: string, base: string): Row[] {
  const [, folders = '', , imported = '', packages = ''] = line.split('|');
  const inRepository = (name: string) => (OUTSIDE_SRC.test(name) ? name : base + name);
  const mayImport = namesIn(imported).map(inRepository);
  return namesIn(folders).map((name) => ({
    place: inRepository(name),
    mayImport,
    packages: [...namesIn(packages), ...(/\bany\b/.test(packages) ? ['any'] : [])],
  }));
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].flatMap((match) => match[1] ?? []);
}

/** The row with the longest place that has this file; null: no table names it. */
export function rowOf(file: string, rows: readonly Row[]): Row | null {
  const [nearest] = rows
    .filter(({ place }) => isIn(file, place))
    .toSorted((one, other) => other.place.length - one.place.length);
  return nearest ?? null;
}

/** Why `file` may not import `specifier`, as it stands in the code; null: it may. */
export function faultOf(file: string, specifier: string, rows: readonly Row[]): string | null {
  const from = rowOf(file, rows);
  if (from === null) {
    return `${file}: test/architecture/imports.md has no row for its folder`;
  }
  if (!specifier.startsWith('.')) {
    return mayUse(from, specifier) ? null : `${file} imports ${specifier}: the row of ${from.place} lacks the package`;
  }
  const target = join(dirname(file), specifier);
  const to = rowOf(target, rows);
  if (to === null) {
    return `${file} imports ${target}: test/architecture/imports.md has no row for that folder`;
  }
  const isAllowed = to === from || from.mayImport.some((place) => isIn(target, place));
  return isAllowed ? null : `${file} imports ${target}: the row of ${from.place} does not allow it`;
}

/** Those that import each other in a circle, directly or by others, and what lies between circles. */
export function circle(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map(imports);
  const isFree = (name: string, names: readonly string[]) =>
    !names.some((each) => left.has(each)) || ![...left.values()].some((others) => others.includes(name));
  for (let free = ['']; free.length > 0; ) {
    free = [...left].flatMap(([name, names]) => (isFree(name, names) ? [name] : []));
    for (const name of free) {
      left.delete(name);
    }
  }
  return [...left.keys()];
}

/** Of each row, the others that it may import. */
export function importsOfRows(rows: readonly Row[]): Map<string, string[]> {
  const reaches = ({ mayImport }: Row, { place: to }: Row) =>
    mayImport.some((place) => place === to || (place.endsWith('/') && to.startsWith(place)));
  return new Map(
    rows.map((row) => [
      row.place,
      rows.flatMap((other) => (other !== row && reaches(row, other) ? [other.place] : [])),
    ]),
  );
}

function mayUse(row: Row, specifier: string): boolean {
  const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  return row.packages.includes(name) || (!['local-slack', 'date-fns'].includes(name) && row.packages.includes('any'));
}

function isIn(file: string, place: string): boolean {
  if (place.endsWith('/')) {
    return file.startsWith(place);
  }
  const [folder, extension] = place.split('*');
  return extension === undefined ? file === place : `${dirname(file)}/` === folder && file.endsWith(extension);
}
