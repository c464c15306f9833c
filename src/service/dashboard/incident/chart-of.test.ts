import { expect, it } from 'vitest';
import { newIncident } from '../../core/incident.ts';
import { acknowledge } from '../../core/incident-changes.ts';
import { chartOf, chartRange, lastOf, marksOf, spansWithin } from './chart-of.ts';

const OPENED = new Date('2026-11-22T10:00:20Z');
const MINUTE_MS = 60_000;
const incident = newIncident(1, 'payments', null, OPENED);
const minutesAfter = (minutes: number) => new Date(OPENED.getTime() + minutes * MINUTE_MS);

it('shows some minutes before the opening, and a deployment shortly before it', () => {
  const plain = chartRange(incident, [], minutesAfter(30));
  const deployed = chartRange(incident, [{ at: minutesAfter(-20), kind: 'deploy', label: '' }], minutesAfter(30));

  expect(plain.from.toISOString()).toBe('2026-11-22T09:55:00.000Z');
  expect(deployed.from.toISOString()).toBe('2026-11-22T09:35:00.000Z');
});

it('ends soon after a closed incident', () => {
  const closed = { ...incident, closing: { by: null, at: minutesAfter(40), note: '' } };

  expect(chartRange(closed, [], minutesAfter(5_000)).to.toISOString()).toBe('2026-11-22T10:46:00.000Z');
});

it('adds minutes up when there are many, and loses no failure', () => {
  const from = new Date('2026-11-22T00:00:00Z');
  const to = new Date('2026-11-23T00:00:00Z');
  const failures = Array.from({ length: 1_440 }, (_, index) => ({ at: from.getTime() + index * MINUTE_MS, count: 2 }));

  const chart = chartOf({ from, to }, failures, []);

  expect(chart.minutesPerBar).toBe(30);
  expect(chart.counts).toEqual(Array.from({ length: 48 }, () => 60));
});

it('marks deployments beside what people did', () => {
  const deployedAt = minutesAfter(-3);
  const changed = {
    ...acknowledge({ ...incident, timeline: [] }, { by: 'Ana' }, minutesAfter(2)),
    changes: [{ at: deployedAt.toISOString(), service: 'payments', version: '1.4.2' }],
  };

  const observed = [
    { service: 'payments', at: deployedAt.getTime(), subject: '1.4.2' },
    { service: 'payments', at: minutesAfter(9).getTime(), subject: '1.4.1' },
    { service: 'search', at: minutesAfter(9).getTime(), subject: '7' },
  ];

  expect(marksOf(changed, observed).map(({ kind, label }) => [kind, label])).toEqual([
    ['opened', 'opened'],
    ['deploy', 'deploy payments 1.4.2'],
    ['deploy', 'deploy payments 1.4.1'],
    ['acknowledged', 'acknowledged by Ana'],
  ]);
});

it('leaves out what happened at other times', () => {
  const range = { from: OPENED, to: minutesAfter(30) };
  const marks = [-1, 0, 29, 30].map((minutes) => ({ at: minutesAfter(minutes), kind: 'deploy', label: `${minutes}` }));

  expect(chartOf(range, [], marks).marks.map(({ label }) => label)).toEqual(['0', '29']);
});

it('shows the chosen last part of a long incident, and offers nothing longer than it', () => {
  const whole = { from: OPENED, to: minutesAfter(200) };

  expect(spansWithin(whole)).toEqual(['30m', '3h']);
  expect(spansWithin({ from: OPENED, to: minutesAfter(30) })).toEqual([]);
  expect(lastOf(whole, '30m')).toEqual({ from: minutesAfter(170), to: minutesAfter(200) });
  expect([lastOf(whole, '24h'), lastOf(whole, undefined)]).toEqual([whole, whole]);
});
