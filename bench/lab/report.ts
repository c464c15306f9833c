import { calibrate, type FaultOutcome, sumOutcomes } from '../correlation/score.ts';
import { renderTable } from '../correlation/table.ts';
import type { Measured } from './measure-case.ts';

/** One fault with what the engine made of it, told the window and not. */
interface Judged {
  readonly outcome: FaultOutcome;
  readonly kind: string;
  readonly isHarmful: boolean;
  readonly told: readonly string[] | null;
}

/** With fewer harmed requests in the telemetry (the others are not sampled), a fault can hardly be told from chance. */
const FEW_REQUESTS = 5;

/** All that a run found, as tables. */
export function renderReport(measured: readonly Measured[]): string {
  const judged = judgedOf(measured);
  const harmful = judged.filter(({ isHarmful }) => isHarmful);
  const parts = [
    renderTable([
      HEADER,
      ...groupBy(harmful, ({ kind }) => kind).map(([kind, group]) => rowOf(kind, group)),
      rowOf('all that harm requests', harmful),
      rowOf(
        `of these, ${FEW_REQUESTS} or more in the telemetry`,
        harmful.filter(({ outcome }) => (outcome.label.harmed_in_telemetry ?? 0) >= FEW_REQUESTS),
      ),
      rowOf(
        'harmless',
        judged.filter(({ isHarmful }) => !isHarmful),
      ),
    ]),
    renderTable([
      HEADER,
      ...groupBy(harmful, ({ outcome }) => outcome.label.arrangement ?? '').map(([name, group]) => rowOf(name, group)),
    ]),
    renderSystems(measured),
    renderCalibration(harmful),
    renderTotals(measured),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** A line for each hardship. */
export function renderScenarios(scenarios: readonly (readonly [string, readonly Measured[]])[]): string {
  const rows = scenarios.map(([name, measured]) => {
    const wrong = measured.reduce((sum, { falseIncidents }) => sum + falseIncidents.length, 0);
    const harmful = judgedOf(measured).filter(({ isHarmful }) => isHarmful);
    return [...rowOf(name, harmful), String(wrong), hoursOf(measured).toFixed(1)];
  });
  return renderTable([['hardship', ...HEADER.slice(1), 'false', 'hours'], ...rows]);
}

/** What is opened, and has the right root after four minutes, without each term: a row for each of them in docs/engine.md. */
export function renderTerms(
  columns: readonly string[],
  rows: readonly (readonly [string, readonly (readonly Measured[])[]])[],
): string {
  const lines = rows.map(([name, cells]) => `| ${[name, ...cells.map(countsOf)].join(' | ')} |`);
  return [`| without | ${columns.join(' | ')} |`, `|---${'|--:'.repeat(columns.length)}|`, ...lines].join('\n');
}

function countsOf(measured: readonly Measured[]): string {
  const harmful = judgedOf(measured).filter(({ isHarmful }) => isHarmful);
  const { own, right } = sumOutcomes(harmful.map(({ outcome }) => outcome));
  return `${own}, ${right.afterFourMinutes} of ${harmful.length}`;
}

function judgedOf(measured: readonly Measured[]): Judged[] {
  return measured.flatMap(({ outcomes, told }) =>
    outcomes.map((outcome, index) => ({
      outcome,
      kind: outcome.label.fault,
      isHarmful: outcome.label.is_harmful !== false,
      told: told[index] ?? null,
    })),
  );
}

function hoursOf(measured: readonly Measured[]): number {
  return measured.reduce((sum, { hours }) => sum + hours, 0);
}

const HEADER = [
  'kind of fault',
  'n',
  'opened',
  'seconds',
  'incidents',
  '+1 min',
  '+4 min',
  'end',
  'in 3',
  'told',
  'told in 3',
  'recovered s',
  'path',
];

function rowOf(name: string, group: readonly Judged[]): string[] {
  const outcomes = group.map(({ outcome }) => outcome);
  const { own, right, amongThree, incidentsPerFault, medianSeconds } = sumOutcomes(outcomes);
  const places = group.flatMap(({ told, outcome }) =>
    told === null ? [] : [told.indexOf(outcome.label.root_service)],
  );
  const paths = outcomes.flatMap(({ isPathRight }) => isPathRight ?? []);
  return [
    name,
    String(group.length),
    String(own),
    number(medianSeconds, 0),
    number(incidentsPerFault, 2),
    String(right.afterOneMinute),
    String(right.afterFourMinutes),
    String(right.atTheEnd),
    String(amongThree),
    places.length === 0 ? '-' : String(places.filter((place) => place === 0).length),
    places.length === 0 ? '-' : String(places.filter((place) => place >= 0 && place < 3).length),
    number(median(outcomes.flatMap(({ recoveredMs }) => recoveredMs ?? [])) / 1_000, 0),
    paths.length === 0 ? '-' : `${paths.filter(Boolean).length}/${paths.length}`,
  ];
}

function renderSystems(measured: readonly Measured[]): string {
  const rows = measured.map(({ lab: { system, faults }, outcomes, falseIncidents, hours, rows: count, incidents }) => {
    const { own, right } = sumOutcomes(outcomes);
    const services = system.places.filter(({ kind }) => kind === 'service').length;
    return [
      `${system.seed} ${system.shape}`,
      `${services}+${system.places.length - services}`,
      system.traffic.perSecond.toFixed(1),
      String(faults.length),
      String(own),
      String(right.afterFourMinutes),
      String(incidents.length),
      String(falseIncidents.length),
      hours.toFixed(1),
      String(count),
    ];
  });
  const header = ['system', 'places', 'requests/s', 'faults', 'opened', 'right', 'incidents', 'false', 'hours', 'rows'];
  return renderTable([header, ...rows]);
}

function renderCalibration(group: readonly Judged[]): string {
  const bins = calibrate(group.map(({ outcome }) => outcome));
  const rows = bins.map(({ from, said, right, cases }) => [
    `${Math.round(100 * from)} to ${Math.round(100 * from) + 10} %`,
    String(cases),
    `${Math.round(100 * said)} %`,
    `${Math.round(100 * right)} %`,
  ]);
  return renderTable([['confidence at +4 min', 'n', 'said', 'right'], ...rows]);
}

function renderTotals(measured: readonly Measured[]): string {
  const sum = (value: (one: Measured) => number, of: readonly Measured[] = measured) =>
    of.reduce((total, one) => total + value(one), 0);
  const healthy = measured.filter(({ lab }) => lab.faults.length === 0);
  const rate = (of: readonly Measured[]) => {
    const count = sum((one) => one.falseIncidents.length, of);
    const hours = hoursOf(of);
    return `${count} in ${hours.toFixed(1)} h, at most ${((100 * upperBound(count)) / hours).toFixed(1)} in 100 h (95 %)`;
  };
  const rows = sum(({ rows: count }) => count);
  const sizes = measured.flatMap(({ stateBytes }) => stateBytes ?? []);
  return renderTable([
    ['false incidents, between faults', rate(measured.filter(({ lab }) => lab.faults.length > 0))],
    ...(healthy.length === 0 ? [] : [['false incidents, healthy systems', rate(healthy)]]),
    ['one bad instance', renderInstances(measured.flatMap(({ outcomes }) => outcomes))],
    ['engine', `${((1_000 * sum(({ engineMs }) => engineMs)) / rows).toFixed(1)} us of processor a row, ${rows} rows`],
    [
      'engine, heap at the end of a system',
      sizes.length === 0 ? '-' : `${mebibytes(median(sizes))}, at most ${mebibytes(Math.max(...sizes))}`,
    ],
  ]);
}

/** How often the one bad instance of a right root is named. */
function renderInstances(outcomes: readonly FaultOutcome[]): string {
  const right = outcomes.filter(({ rightAtTheEnd }) => rightAtTheEnd);
  const ofOne = right.filter(({ label }) => label.root_instance !== undefined);
  const named = ofOne.filter(({ label, incident }) => incident?.root_instance === label.root_instance);
  const wrongly = right.filter(
    ({ label, incident }) => ![undefined, label.root_instance].includes(incident?.root_instance),
  );
  return `named for ${named.length} of ${ofOne.length}, wrongly for ${wrongly.length} of ${right.length}`;
}

/** The 95 % upper confidence bound of a Poisson count, by Wilson and Hilferty's approximation. */
function upperBound(count: number): number {
  const degrees = count + 1;
  return degrees * (1 - 1 / (9 * degrees) + 1.645 / (3 * Math.sqrt(degrees))) ** 3;
}

function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function number(value: number, digits: number): string {
  return Number.isNaN(value) ? '-' : value.toFixed(digits);
}
