import { describe, expect, it } from 'vitest';
import { normalise } from '../correlation/normalise.ts';
import { replayRows } from '../correlation/online.ts';
import type { Label, Row } from '../correlation/rows.ts';
import { KINDS } from './faults/kinds.ts';
import { drawCase, type WorldSettings } from './worlds.ts';

const SMALL: WorldSettings = {
  seed: 7,
  family: 'open',
  systems: 2,
  healthy: 1,
  minutes: 45,
  services: [6, 10],
  mostRows: 25_000,
  kinds: [],
};

interface Run {
  readonly rows: readonly Row[];
  readonly labels: readonly Label[];
}

function run(settings: Partial<WorldSettings> = {}, index = 0): Run {
  const { rows, labels } = drawCase({ ...SMALL, ...settings }, index).run();
  return { rows: [...rows], labels: labels() };
}

type RunWithFault = Run & { readonly label: Label };

/** The first system in which such a fault happens, and harms requests or not. @param isFit whether the system shows it */
function runWith(kind: string, isHarmful: boolean, isFit: (made: RunWithFault) => boolean = () => true): RunWithFault {
  for (let seed = 1; seed < 20; seed += 1) {
    const made = run({ seed, kinds: [kind], services: [6, 14] });
    const label = made.labels.find((one) => one.arrangement === 'alone' && one.is_harmful === isHarmful);
    if (label !== undefined && isFit({ ...made, label })) {
      return { ...made, label };
    }
  }
  throw new Error(`no place for ${kind}`);
}

/** Rows that began while a fault lasted. */
function during({ rows, label }: { readonly rows: readonly Row[]; readonly label: Label }): Row[] {
  const { inject_at: from = '', end_at: to = '' } = label;
  return rows.filter(({ timestamp }) => timestamp > from && timestamp < to);
}

function entries(rows: readonly Row[]): Row[] {
  return rows.filter(({ kind, parent_span_id: parent }) => kind === 'trace' && parent === null);
}

function failedShare(rows: readonly Row[]): number {
  return rows.filter(({ status = '' }) => status === 'error' || status.startsWith('5')).length / rows.length;
}

describe('generated systems', () => {
  it('are the same for the same seed', () => {
    expect(run({}, 1)).toEqual(run({}, 1));
  });

  it('are others for another seed, and for the family that nobody tunes on', () => {
    const names = (settings: Partial<WorldSettings>) =>
      new Set(drawCase({ ...SMALL, ...settings }, 0).system.places.map(({ name }) => name));

    const known = names({});

    expect([...names({ seed: 8 })].filter((name) => known.has(name))).toEqual([]);
    expect([...names({ family: 'held' })].filter((name) => known.has(name))).toEqual([]);
  });

  it('have other traces without faults, an hour before', () => {
    const lab = drawCase(SMALL, 0);
    const traces = new Set([...lab.run().rows].flatMap(({ trace_id: id }) => id ?? []));

    const before = [...lab.baseline()].flatMap(({ trace_id: id }) => id ?? []);

    expect(before.length).toBeGreaterThan(1_000);
    expect(before.filter((id) => traces.has(id))).toEqual([]);
  });

  it('send rows that the engine can read, in order of arrival', () => {
    const { rows } = run({}, 1);

    const arrivals = rows.map(({ received_at: at = '' }) => at);

    expect(rows.length).toBeGreaterThan(5_000);
    expect(rows.filter(({ kind, form }) => kind === 'metric' && form === undefined)).toEqual([]);
    expect(rows.flatMap((row) => normalise(row) ?? []).filter(({ at }) => !Number.isFinite(at))).toEqual([]);
    expect(arrivals).toEqual(arrivals.toSorted());
  });

  it('give spans parents of the same trace, which last longer than the calls and steps in them', () => {
    const { rows } = run();
    const spans = new Map(rows.flatMap((row) => (row.kind === 'trace' ? [[row.span_id, row] as const] : [])));
    const pairs = [...spans.values()].flatMap((span) => {
      const parent = spans.get(span.parent_span_id ?? '');
      return parent === undefined ? [] : [{ span, parent }];
    });

    expect(pairs.length).toBeGreaterThan(1_000);
    expect(pairs.filter(({ span, parent }) => span.trace_id !== parent.trace_id)).toEqual([]);
    expect(
      pairs.filter(({ span, parent }) => span.service === parent.service && endOf(span) > endOf(parent) + 2),
    ).toEqual([]);
  });

  it('have every kind of fault in some system', () => {
    const drawn = new Set(
      Array.from({ length: 12 }, (_, index) =>
        drawCase({ ...SMALL, minutes: 180, systems: 12, services: [8, 40], mostRows: 1e6 }, index).faults.map(
          ({ kind }) => kind,
        ),
      ).flat(),
    );

    expect(Object.keys(KINDS.open).filter((kind) => !drawn.has(kind))).toEqual([]);
  });

  it('stay whole without faults', () => {
    const { rows, labels } = run({}, 2);

    expect(labels).toEqual([]);
    expect(failedShare(entries(rows))).toBeLessThan(0.12);
  });
});

describe('faults', () => {
  it('leave no span of a dead process, and requests fail', () => {
    const dead = runWith('dead process', true);
    const { root_service: root } = dead.label;

    const own = (rows: readonly Row[]) => rows.filter(({ kind, service }) => kind === 'trace' && service === root);

    expect(own(dead.rows).length).toBeGreaterThan(10);
    expect(own(during(dead)).filter(({ timestamp }) => timestamp > plus(dead.label.inject_at, 5_000))).toEqual([]);
    expect(failedShare(entries(during(dead)))).toBeGreaterThan(2 * failedShare(entries(dead.rows)));
  });

  it('harm nobody when only an optional callee is gone', () => {
    const gone = runWith('optional callee gone', false);

    expect(failedShare(entries(during(gone)))).toBeLessThan(failedShare(entries(gone.rows)) + 0.02);
  });

  it('give a path from the root to an entry', () => {
    const { label, rows } = runWith('errors', true);

    expect(label.path?.[0]).toBe(label.root_service);
    expect(entries(rows).map(({ service }) => service)).toContain(label.path?.at(-1));
  });

  it('let a slow network make calls long, and not the work of the callee', () => {
    // A client span has the name of what it calls. One that is shorter than the work has only put it into a queue.
    const callsOf = ({ rows: all, label: { root_service: root } }: RunWithFault, rows: readonly Row[]) => {
      const spans = new Map(all.flatMap((row) => (row.kind === 'trace' ? [[row.span_id, row] as const] : [])));
      return rows.flatMap(({ kind, service, parent_span_id: parent, name, duration_ms: workMs = 0 }) => {
        const { name: called, duration_ms: callMs = 0 } = spans.get(parent ?? '') ?? {};
        return kind === 'trace' && service === root && called === name && callMs >= workMs
          ? [{ workMs, gapMs: callMs - workMs }]
          : [];
      });
    };
    const slow = runWith('slow network in', true, (made) => callsOf(made, during(made)).length > 20);
    const usual = (rows: readonly Row[]) => {
      const calls = callsOf(slow, rows);
      return { workMs: median(calls.map(({ workMs }) => workMs)), gapMs: median(calls.map(({ gapMs }) => gapMs)) };
    };

    const [now, ever] = [usual(during(slow)), usual(slow.rows)];

    expect(now.workMs).toBeLessThan(2 * ever.workMs + 5);
    expect(now.gapMs).toBeGreaterThan(ever.gapMs + 80);
  });

  it('leave it to the engine to name the one bad instance', async () => {
    const { rows, label } = runWith('one bad instance', true);

    const { incidents } = await replayRows(rows);

    expect(label.root_instance).toMatch(/./);
    expect(incidents.map(({ root_service: root, root_instance: instance }) => ({ root, instance }))).toContainEqual({
      root: label.root_service,
      instance: label.root_instance,
    });
  });

  it('report a bad deploy when it starts', () => {
    const { rows, label } = runWith('bad deploy', true);

    const change = rows.find(({ kind }) => kind === 'change');

    expect(change).toMatchObject({ service: label.root_service, timestamp: label.inject_at });
  });
});

function endOf({ timestamp, duration_ms: ms = 0 }: Row): number {
  return Date.parse(timestamp) + ms;
}

function plus(time: string | undefined, ms: number): string {
  return new Date(Date.parse(time ?? '') + ms).toISOString();
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
