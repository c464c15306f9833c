import { expect, it } from 'vitest';
import { SCENARIOS } from './scenarios.ts';
import { drawCase, type LabCase, type WorldSettings } from './worlds.ts';

const SIZE: WorldSettings = {
  seed: 1,
  family: 'open',
  systems: 2,
  healthy: 1,
  minutes: 90,
  services: [6, 14],
  mostRows: 50_000,
  kinds: [],
};

function draw(name: string, index = 0): LabCase {
  const { kinds = [], adjust = {}, mostRows = SIZE.mostRows } = SCENARIOS[name] ?? {};
  return drawCase({ ...SIZE, mostRows, kinds, adjust }, index);
}

it.each(Object.keys(SCENARIOS))('has faults of every kind that it names: %s', (name) => {
  const faults = [draw(name), draw(name, 1)].flatMap((lab) => lab.faults);

  expect([...new Set(faults.map(({ kind }) => kind))].toSorted()).toEqual(SCENARIOS[name]?.kinds.toSorted());
});

it('sends ten requests a minute at night', () => {
  expect(draw('night').system.traffic.perSecond * 60).toBeCloseTo(10);
});

it('sends no spans without traces', () => {
  const kinds = new Set<string>();
  for (const { kind } of draw('no traces').run().rows) {
    kinds.add(kind);
  }

  expect(kinds).not.toContain('trace');
  expect(kinds).toContain('log');
});

it('loses and repeats whole batches', () => {
  const all = countRows('plain');

  expect(countRows('lost batches') / all).toBeCloseTo(0.9, 1);
  expect(countRows('repeated batches') / all).toBeCloseTo(2, 1);
});

/** Spans and lines of the same system. */
function countRows(name: string): number {
  const lab = drawCase({ ...SIZE, adjust: { ...SCENARIOS.plain?.adjust, ...SCENARIOS[name]?.adjust } }, 0);
  let rows = 0;
  for (const { kind } of lab.run().rows) {
    rows += kind === 'trace' || kind === 'log' ? 1 : 0;
  }
  return rows;
}
