/** What a run writes to the file, and what it says. */
export interface Report {
  readonly lines: readonly unknown[];
  readonly table: string;
}

export function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

export function percent(share: number): string {
  return String(Math.round(100 * share));
}
