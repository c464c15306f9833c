import type { Result } from './play.ts';
import type { Score, Times } from './score.ts';

interface Metric {
  readonly label: string;
  readonly value: string;
  /** Tocsin must prevent this. */
  readonly alarming: boolean;
}

/** The score, in the order of the panel. */
export function metricsOf(score: Score): readonly Metric[] {
  const count = (label: string, value: number): Metric => ({ label, value: String(value), alarming: false });
  const fault = (label: string, value: number): Metric => ({ label, value: String(value), alarming: value > 0 });
  return [
    count('Incidents', score.incidents),
    count('Posted', score.posted),
    ...(score.inStorm > 0 ? [count('In a storm card', score.inStorm)] : []),
    fault('Lost', score.lost),
    fault('Doubled', score.doubled),
    fault('Wrong cards', score.wrong),
    ...(score.interactions > 0 ? [fault('Clicks without a response', score.unanswered)] : []),
    ...(score.notes > 0 ? [fault('Notes lost', score.notesLost)] : []),
    { label: 'Time to card, median / worst', value: timesText(score.timeToCard), alarming: false },
    { label: 'Time to correct card, median / worst', value: timesText(score.timeToTrueCard), alarming: false },
  ];
}

function timesText({ median, worst }: Times): string {
  return median === null || worst === null ? '–' : `${seconds(median)} / ${seconds(worst)} s`;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

const COLUMNS = ['incidents', 'posted', 'lost', 'doubled', 'wrong', 'unanswered', 'notesLost'] as const;
const HEADINGS = ['incidents', 'posted', 'lost', 'doubled', 'wrong', 'unanswered', 'notes lost'];

/** One line per scenario. */
export function tableOf(results: readonly Result[]): string {
  const rows = [
    ['scenario', ...HEADINGS, 'time to card', 'time to correct card', ''],
    ...results.map(({ scenario, score, isPassed }) => [
      scenario.name,
      ...COLUMNS.map((column) => String(score[column])),
      timesText(score.timeToCard),
      timesText(score.timeToTrueCard),
      isPassed ? 'PASS' : 'FAIL',
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
