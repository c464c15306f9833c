import { expect, it } from 'vitest';
import { newIncident } from '../core/incident.ts';
import type { Incident as EngineIncident } from '../engine/grouping/incident.ts';
import { movesOf } from './regrouped-failures.ts';

/** Numbers of incidents, each with the number of the one that it was merged into; 0: it was not merged. */
function moves(merged: Readonly<Record<number, number>>) {
  const numbers = Object.keys(merged).map(Number);
  const stored = new Map(numbers.map((number) => [number, newIncident(number, 'payments', null, new Date(0))]));
  const changed = numbers.map((number) => ({ number, mergedInto: merged[number] || null }) as EngineIncident);
  const numberOf = (id: string) => [...stored.values()].find((incident) => incident.id === id)?.number;
  return movesOf(changed, [], stored).map(({ from, to }) => [numberOf(from), numberOf(to)]);
}

it('moves the signals of merged incidents to the last one of a chain, whatever their order', () => {
  expect(moves({ 1: 2, 2: 3, 3: 4, 4: 0, 5: 0 })).toEqual([
    [1, 4],
    [2, 4],
    [3, 4],
  ]);
  expect(moves({ 4: 0, 3: 4, 2: 3, 1: 2 })).toEqual([
    [1, 4],
    [2, 4],
    [3, 4],
  ]);
});
