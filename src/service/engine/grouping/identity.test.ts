import { describe, expect, it } from 'vitest';
import { createCorrelatedSystem, MINUTE, START } from '../../../../test/support/correlated-system.ts';
import { evidence, lostAt } from '../../../../test/support/evidence.ts';
import type { KnownIncident } from '../../core/known-incident.ts';
import { close } from '../engine.ts';

const fires = evidence({ fingerprint: 'disk', hasEnded: false });
const ends = evidence({ fingerprint: 'disk', hasEnded: true });
const once = evidence({ fingerprint: 'backup', service: 'backup' });

/** As the store has it of an incident that opened in the first minute. */
const stored: KnownIncident = {
  number: 7,
  root: 'backup',
  openedAt: START,
  lastAt: START,
  activity: 'quiet',
  activeSince: START,
};

describe('an alert', () => {
  it('returns to its open incident after it ended', () => {
    const system = createCorrelatedSystem();
    system.at(0, [fires]);
    system.at(1, [ends]);
    system.during(1, 7, []);

    system.at(7.5, [fires]);

    expect(system.incidents().map(({ number, activity }) => [number, activity])).toEqual([[1, 'failing']]);
  });

  it('returns to its open incident when its sender reports no end', () => {
    const system = createCorrelatedSystem();
    system.at(0, [once]);
    system.during(0, 7, []);
    const [before] = system.incidents().map(({ activity }) => activity);

    system.at(7.5, [once]);

    expect(before).toBe('quiet');
    expect(system.incidents().map(({ number, activity }) => [number, activity])).toEqual([[1, 'failing']]);
  });

  it('returns to an open incident that correlation has forgotten', () => {
    const system = createCorrelatedSystem();
    system.state.correlation.nextNumber = 8;

    system.at(600, [{ ...once, home: stored }]);

    expect(system.incidents().map(({ number, root, activity }) => ({ number, root, activity }))).toEqual([
      { number: 7, root: 'backup', activity: 'failing' },
    ]);
  });

  it('returns to the incident that its own was merged into', () => {
    const system = createCorrelatedSystem();
    system.during(0, 1, [evidence({ service: 'web' }), evidence({ service: 'payments' })]);
    system.call('web', 'payments');
    system.during(1, 2, [evidence({ service: 'web' }), evidence({ service: 'payments' })]);
    expect(system.told('merged')).toEqual(['2 into 1']);

    system.at(3, [{ ...once, home: { ...stored, number: 2 } }]);

    expect(system.incidents().map(({ number, members }) => [number, members.has('backup')])).toEqual([[1, true]]);
  });

  it('opens an incident that continues the closed one', () => {
    const system = createCorrelatedSystem();
    system.at(0, [fires]);
    system.at(1, [ends]);
    system.during(1, 6, []);
    close(system.state, 1, START + 6 * MINUTE);

    system.at(7.5, [fires]);

    expect(system.incidents().map(({ number, previous }) => [number, previous])).toEqual([
      [1, null],
      [2, 1],
    ]);
  });

  it('opens an incident that continues one that only the store knows', () => {
    const system = createCorrelatedSystem();
    system.state.correlation.nextNumber = 8;

    system.at(0, [{ ...once, previous: 7 }]);

    expect(system.incidents().map(({ number, previous }) => [number, previous])).toEqual([[8, 7]]);
  });
});

it('opens another incident for telemetry that returns after a gap', () => {
  const system = createCorrelatedSystem();
  const slow = lostAt('payments');
  system.at(0, [slow]);
  system.during(0, 7, []);

  system.at(7.5, [slow]);

  expect(system.incidents().map(({ number }) => number)).toEqual([1, 2]);
});
