import { expect, it } from 'vitest';
import { SCENARIOS } from './scenarios.ts';
import { drawCase, type LabCase, type WorldSettings } from './worlds.ts';

function draw(name: string, index = 0): LabCase {
  const { kinds = [], adjust = {}, mostRows = 50_000 } = SCENARIOS[name] ?? {};
  const size: WorldSettings = {
    seed: 1,
    family: 'open',
    systems: 2,
    healthy: 1,
    minutes: 90,
    services: [6, 14],
    mostRows,
    kinds,
  };
  return drawCase({ ...size, adjust }, index);
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
