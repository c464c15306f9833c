import { describe, expect, it } from 'vitest';
import type { Incident, Signal } from '../../contract/resources.ts';
import { findStillFiring } from './still-firing.ts';

const NOW = new Date('2026-01-31T08:30:00.000Z');
const LATELY = '2026-01-31T08:26:00.000Z';
const LONG_AGO = '2026-01-31T08:00:00.000Z';

function firing(...signals: readonly Partial<Signal>[]) {
  return firingWhile(undefined, ...signals);
}

function firingWhile(activity: Incident['activity'], ...signals: readonly Partial<Signal>[]) {
  return findStillFiring(
    {
      id: 'inc_1',
      status: 'open',
      activity,
      signal_count: signals.length,
      root_service: 'payments',
      opened_at: LONG_AGO,
      signals: signals.map((fields, index) => ({ id: `sig_${index}`, type: 'metric', service: 'payments', ...fields })),
    },
    NOW,
  );
}

describe('findStillFiring', () => {
  it('finds signals of the last five minutes if their sender does not report an end', () => {
    expect(
      firing({ last_seen_at: LATELY }, { last_seen_at: LONG_AGO }, { observed_at: LATELY, service: 'web' }),
    ).toEqual({
      signals: 2,
      services: ['payments', 'web'],
      moreServices: 0,
      lastSeenAt: LATELY,
    });
    expect(firing({ last_seen_at: LONG_AGO })).toBeNull();
  });

  it('finds signals without an end, however old, if their sender reports ends', () => {
    expect(firing({ last_seen_at: LONG_AGO, ended_at: null })).toMatchObject({ signals: 1, lastSeenAt: LONG_AGO });
    expect(firing({ last_seen_at: LATELY, ended_at: LATELY })).toBeNull();
  });

  it('finds nothing while the service reports the incident as quiet or recovered', () => {
    const signals = [{ last_seen_at: LATELY }, { last_seen_at: LATELY, ended_at: null }];

    expect(firingWhile('failing', ...signals)).toMatchObject({ signals: 2 });
    expect(firingWhile('quiet', ...signals)).toBeNull();
    expect(firingWhile('recovered', ...signals)).toBeNull();
  });

  it('finds nothing if the service reports no times', () => {
    expect(firing({}, { ended_at: null })).toBeNull();
  });
});
