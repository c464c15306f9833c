import { expect, it } from 'vitest';
import type { IncidentSummary } from '../../../contract/resources.ts';
import { incidentStats } from './stats.ts';

const OPENED = Date.parse('2026-01-31T08:00:00.000Z');

const after = (minutes: number) => new Date(OPENED + minutes * 60_000).toISOString();

function incident(fields: Partial<IncidentSummary> = {}): IncidentSummary {
  return { id: 'inc', status: 'open', signal_count: 1, root_service: 'payments', opened_at: after(0), ...fields };
}

it('counts states, times by nearest rank, roots and what was closed without an acknowledgement', () => {
  const stats = incidentStats([
    incident(),
    incident({ acknowledged_at: after(2) }),
    incident({ status: 'closed', acknowledged_at: after(4), closed_at: after(10), root_service: 'orders' }),
    incident({ status: 'closed', closed_at: after(30) }),
  ]);

  expect(stats).toEqual({
    total: 4,
    open: 2,
    closed: 2,
    acknowledged: 2,
    toAcknowledge: { count: 2, medianMs: 120_000, p90Ms: 240_000 },
    toClose: { count: 2, medianMs: 600_000, p90Ms: 1_800_000 },
    roots: [
      { service: 'payments', incidents: 3 },
      { service: 'orders', incidents: 1 },
    ],
    noise: 1,
  });
});

it('has no times where the service sends none', () => {
  const stats = incidentStats([incident({ status: 'closed', acknowledged: true })]);

  expect([stats.toAcknowledge.count, stats.toClose.count, stats.noise]).toEqual([0, 0, 0]);
});
