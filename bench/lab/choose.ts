import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { percent, renderTable } from '../correlation/table.ts';

/** One line of `--out`: a fault, or a false incident. */
export interface ResultLine {
  readonly system: string;
  /** Absent: a false incident. */
  readonly label?: { readonly fault: string; readonly is_harmful?: boolean };
  readonly rightAfterFourMinutes?: boolean;
  /** Incidents that opened for the fault. */
  readonly opened?: number;
}

/** Results of the engine with one choice of constants, on the same systems as the others. */
export interface Variant {
  readonly name: string;
  readonly lines: readonly ResultLine[];
}

export async function readVariants(files: readonly string[]): Promise<Variant[]> {
  return Promise.all(
    files.map(async (file) => ({
      name: basename(file),
      lines: (await readFile(file, 'utf8')).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
    })),
  );
}

/**
 * Right faults when constants are chosen on all other kinds, or systems, than the one that is judged.
 *
 * @param keyOf what is left out together; null: never left out
 */
export function leaveOneOut(variants: readonly Variant[], keyOf: (line: ResultLine) => string | null): Tally {
  const keys = new Set(variants.flatMap(({ lines }) => lines.map(keyOf)));
  let sum: Tally = { right: 0, faults: 0 };
  for (const key of keys) {
    if (key !== null) {
      const best = bestOf(variants, (line) => keyOf(line) !== key);
      const left = tally(best?.lines.filter((line) => keyOf(line) === key) ?? []);
      sum = { right: sum.right + left.right, faults: sum.faults + left.faults };
    }
  }
  return sum;
}

export interface Tally {
  readonly right: number;
  readonly faults: number;
}

/** Harmful faults whose first incident has the right root 4 minutes later. */
function tally(lines: readonly ResultLine[]): Tally {
  const faults = lines.filter(({ label }) => label !== undefined && label.is_harmful !== false);
  return { right: faults.filter((line) => line.rightAfterFourMinutes).length, faults: faults.length };
}

function bestOf(variants: readonly Variant[], isSeen: (line: ResultLine) => boolean): Variant | undefined {
  return variants.toSorted((a, b) => worth(b.lines.filter(isSeen)) - worth(a.lines.filter(isSeen)))[0];
}

/** One for each right fault, less a half for each incident too many, less one for each false incident. */
function worth(lines: readonly ResultLine[]): number {
  const tooMany = lines.reduce((sum, { opened = 1 }) => sum + Math.max(0, opened - 1), 0);
  return tally(lines).right - tooMany / 2 - lines.filter(({ label }) => label === undefined).length;
}

export function renderChoice(variants: readonly Variant[]): string {
  const row = (name: string, { right, faults }: Tally) => [
    name,
    String(right),
    String(faults),
    percent(right / faults),
  ];
  return renderTable([
    ['constants', 'right', 'of faults', '%'],
    ...variants.map(({ name, lines }) => row(name, tally(lines))),
    row(
      'chosen on the other kinds',
      leaveOneOut(variants, ({ label }) => label?.fault ?? null),
    ),
    row(
      'chosen on the other systems',
      leaveOneOut(variants, ({ system }) => system),
    ),
  ]);
}
