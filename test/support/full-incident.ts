import type { Incident } from '../../src/contract/resources.ts';

/** What a service tells of an incident of `bank` whose card has everything that a card can have. @param now in milliseconds */
export function fullIncident(now: number): Partial<Incident> {
  const at = (minutesAgo: number) => new Date(now - minutesAgo * 60_000).toISOString();
  return {
    number: 6,
    title: 'bank: POST /charge fails (connection refused)',
    activity: 'failing',
    last_seen_at: at(0),
    signal_count: 214,
    impact: [{ from: 'payments', to: 'bank', calls: 216, failed: 208 }],
    failures_per_minute: { from: at(8), counts: [0, 0, 3, 18, 61, 74, 70, 46] },
    changes: [{ at: at(9), service: 'bank', version: '1.8.2', failed_at: at(6) }],
    links: [
      { kind: 'runbook', url: 'https://wiki.example.com/bank' },
      { kind: 'dashboard', url: 'https://grafana.example.com/d/bank' },
    ],
    trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
    correlation: {
      method: 'm',
      confidence: 0.67,
      services: [],
      edges: [],
      window: { from: at(5), to: at(2) },
      evidence: ['bank logs a line that it never logged before: connection refused'],
      candidates: [{ service: 'bank', score: 0.7, reasons: [] }],
    },
    similar: [
      { id: 'inc_9', number: 2, closed_at: at(5_000), resolution_note: 'rolled back 1.8.1', resolved_by: 'Ana' },
    ],
  };
}

/** The text of its card. */
export const FULL_CARD =
  /#6 .*connection refused.*208 of 216 calls failed.*never logged before.*rolled back 1\.8\.1.*bank 1\.8\.2 deployed 3 min before the first failure/;
