/** @param share from 0 to 1; 0.5 is the median */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** One line of the report. */
export interface Finding {
  readonly what: string;
  readonly measured: string;
  /** The baseline, measured in the same run. */
  readonly baseline: string;
  readonly ratio: string;
  /** null: no goal. */
  readonly goal: { readonly text: string; readonly isMet: boolean } | null;
}

export function renderFindings(findings: readonly Finding[]): string {
  const head = ['', 'measured', 'baseline', 'ratio', 'goal', ''];
  const rows = findings.map(({ what, measured, baseline, ratio, goal }) => [
    what,
    measured,
    baseline,
    ratio,
    goal?.text ?? '',
    goal === null ? '' : goal.isMet ? 'met' : 'MISSED',
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const lines = [head, ...rows].map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en');
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}
