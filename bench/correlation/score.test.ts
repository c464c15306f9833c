import { describe, expect, it } from 'vitest';
import type { ReplayedIncident } from './online.ts';
import type { Label } from './rows.ts';
import { calibrate, falseIncidents, matchFaults, sumOutcomes } from './score.ts';

const NINE = Date.parse('2026-01-01T09:00:00Z');

function minute(minutes: number): string {
  return new Date(NINE + minutes * 60_000).toISOString();
}

function fault(root: string, at: number, about: Partial<Label> = {}): Label {
  return { case: root, root_service: root, fault: 'errors', inject_at: minute(at), ...about };
}

/** @param roots what it told, with the minute */
function incident(number: number, at: number, ...roots: readonly (readonly [number, string])[]): ReplayedIncident {
  const history = roots.map(([when, root]) => ({
    at: minute(when),
    root_service: root,
    confidence: 0.8,
  }));
  return {
    number,
    opened_at: minute(at),
    root_service: history.at(-1)?.root_service ?? '',
    services: [],
    signals: 1,
    candidates: [],
    confidence: 0.8,
    history,
    activities: [{ at: minute(at), activity: 'failing' }],
  };
}

describe('matchFaults', () => {
  it('counts the first incident that opens, not a later one that names the root', () => {
    const incidents = [incident(1, 0.5, [0.5, 'web']), incident(2, 1, [1, 'db'])];

    const [outcome] = matchFaults([fault('db', 0)], incidents);

    expect(outcome).toMatchObject({ opened: 2, rightAfterFourMinutes: false, delayMs: 30_000 });
  });

  it('asks what the incident showed at the time', () => {
    const [outcome] = matchFaults([fault('db', 0)], [incident(1, 0.5, [0.5, 'web'], [2, 'db'])]);

    expect(outcome).toMatchObject({ rightAfterOneMinute: false, rightAfterFourMinutes: true });
  });

  it('gives each of two overlapping faults the incident that blames it', () => {
    const incidents = [incident(1, 0.2, [0.2, 'cache']), incident(2, 0.4, [0.4, 'db'])];

    const outcomes = matchFaults([fault('db', 0), fault('cache', 0)], incidents);

    expect(outcomes.map(({ incident: own }) => own?.number)).toEqual([2, 1]);
    expect(sumOutcomes(outcomes)).toMatchObject({ own: 2, incidentsPerFault: 1, right: { afterFourMinutes: 2 } });
  });

  it('gives no fault an incident of before, or of five minutes later', () => {
    const [outcome] = matchFaults([fault('db', 0)], [incident(1, -1, [-1, 'db']), incident(2, 5, [5, 'db'])]);

    expect(outcome).toMatchObject({ incident: null, delayMs: null, opened: 1 });
  });

  it('gives a fault that comes again the incident that comes back', () => {
    const first = incident(1, 0.5, [0.5, 'db']);
    const activities = [
      ...first.activities,
      { at: minute(4.5), activity: 'recovered' as const },
      { at: minute(8.5), activity: 'failing' as const },
    ];

    const outcomes = matchFaults([fault('db', 0), fault('db', 8)], [{ ...first, activities }]);

    expect(outcomes.map(({ incident: own }) => own?.number)).toEqual([1, 1]);
    expect(outcomes[1]).toMatchObject({ delayMs: 30_000, opened: 1, rightAfterFourMinutes: true });
  });

  it('prefers an incident that opens for a fault to one of before that comes back', () => {
    const first = incident(1, 0.5, [0.5, 'web']);
    const activities = [
      ...first.activities,
      { at: minute(4.5), activity: 'recovered' as const },
      { at: minute(8.2), activity: 'failing' as const },
    ];
    const incidents = [{ ...first, activities }, incident(2, 8.5, [8.5, 'db'])];

    const [, outcome] = matchFaults([fault('web', 0), fault('db', 8)], incidents);

    expect(outcome).toMatchObject({ incident: { number: 2 }, opened: 1, rightAfterFourMinutes: true });
  });

  it('measures recovery from the end of the fault', () => {
    const first = incident(1, 0.5, [0.5, 'db']);
    const told = { ...first, activities: [...first.activities, { at: minute(4.5), activity: 'recovered' as const }] };

    const [outcome] = matchFaults([fault('db', 0, { end_at: minute(4) })], [told]);

    expect(outcome?.recoveredMs).toBe(30_000);
  });
});

describe('falseIncidents', () => {
  it('are those that open while no fault explains them', () => {
    const incidents = [incident(1, -1, [-1, 'db']), incident(2, 6, [6, 'db']), incident(3, 8, [8, 'db'])];

    const found = falseIncidents([fault('db', 0)], incidents);

    expect(found.map(({ number }) => number)).toEqual([1, 3]);
  });
});

describe('calibrate', () => {
  it('compares what was said with how often it was right', () => {
    const labels = [fault('db', 0), fault('db', 30)];
    const outcomes = matchFaults(labels, [incident(1, 0.5, [0.5, 'db']), incident(2, 30.5, [30.5, 'web'])]);

    expect(calibrate(outcomes)).toEqual([{ from: 0.8, said: 0.8, right: 0.5, cases: 2 }]);
  });
});
