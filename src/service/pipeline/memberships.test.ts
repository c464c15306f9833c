import { expect, it } from 'vitest';
import type { Evidence } from '../core/evidence.ts';
import type { Incident } from '../engine/grouping/incident.ts';
import { membershipsOf } from './memberships.ts';

const SECOND = 1_000;
const STORED = new Map([1, 2].map((number) => [number, { id: `inc-${number}` }]));

function placement(incident: number, seconds: number, origin: Evidence['origin'] = 'trace') {
  const evidence = { at: seconds * SECOND, origin, fingerprint: 'f', signals: ['s'] };
  return { incident: { number: incident } as Incident, evidence: evidence as unknown as Evidence };
}

/** Incidents with the seconds in which their signals begin. */
function periods(...placements: ReturnType<typeof placement>[]) {
  return membershipsOf(placements, STORED).map(({ incidentId, begunAfter, begunBy }) => [
    incidentId,
    begunAfter === null ? null : begunAfter.getTime() / SECOND,
    begunBy === null ? null : begunBy.getTime() / SECOND,
  ]);
}

it('gives each incident the signals that began up to its evidence, and not those of the one before', () => {
  expect(periods(placement(1, 10), placement(1, 20), placement(2, 700), placement(2, 705))).toEqual([
    ['inc-1', null, 20],
    ['inc-2', 20, 705],
  ]);
});

it('gives a signal to one incident only, whatever the order and however often it is found', () => {
  expect(periods(placement(2, 20), placement(1, 10), placement(1, 30), placement(2, 20))).toEqual([
    ['inc-1', null, 10],
    ['inc-2', 10, 20],
    ['inc-1', 20, 30],
  ]);
});

it('gives an alert to its incident whenever it says that it begins', () => {
  expect(periods(placement(1, 10, 'alert'))).toEqual([['inc-1', null, null]]);
});

it('leaves out incidents that are not stored', () => {
  expect(periods(placement(3, 10))).toEqual([]);
});
