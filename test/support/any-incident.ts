import fc from 'fast-check';
import type { Snapshot } from '../../src/bot/incident/snapshot.ts';
import type { Incident, Signal } from '../../src/contract/resources.ts';
import { Severity } from '../../src/contract/resources.ts';

const ENDED_AT = '2026-01-31T08:00:00.000Z';

/** Names that an attacker would give to services, and the longest ones. */
export const hostile = fc.oneof(
  fc.constantFrom(
    '<!channel>',
    '<@U1|x>',
    '&lt;!here&gt;',
    '@everyone',
    '`*_~>',
    '\u202Eevil',
    'a\nb',
    '🚒'.repeat(80),
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constant('&<>'.repeat(2_000)),
  fc.constant('s'.repeat(200)),
);

export const moment = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((at) => at.toISOString());

const absent = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const address = fc.oneof(
  fc.webUrl(),
  hostile,
  fc.constantFrom('javascript:alert(1)', `https://x.example/${'a'.repeat(900)}`, 'https://x.example/?a=<b>|c&d'),
);

export const anySignal: fc.Arbitrary<Signal> = fc
  .record({
    id: hostile.map((id) => id.slice(0, 255) || 'x'),
    type: fc.constantFrom<Signal['type'][]>('trace', 'metric', 'log'),
    service: hostile,
    summary: absent(hostile),
    body: absent(hostile),
    trace_id: absent(hostile),
    attributes: absent(fc.dictionary(fc.string({ maxLength: 20 }), hostile, { maxKeys: 60 })),
  })
  .map((fields) => present({ ...fields, occurrences: 12_345, ended_at: ENDED_AT }) as Signal);

const failingCall = fc.record({ from: hostile, to: hostile, calls: fc.nat(), failed: fc.nat() });
const harm = fc.record({ requests: fc.nat(), total: fc.nat(), failed: fc.nat(), since: moment, per_minute: fc.nat() });
const similar = fc.record({
  id: hostile,
  number: fc.nat(),
  closed_at: moment,
  resolution_note: hostile,
  resolved_by: hostile,
});
const mute = fc.record({
  id: hostile,
  target: fc.constantFrom('incident' as const, 'service' as const),
  value: hostile,
  until: moment,
  reason: hostile,
  created_by: hostile,
  created_at: moment,
});

/** An incident of any service: each optional field may be absent. */
export const anyIncident: fc.Arbitrary<Snapshot & Incident> = fc
  .record({
    id: hostile.map((id) => id.slice(0, 255) || 'x'),
    status: fc.constantFrom<Incident['status'][]>('open', 'closed'),
    signal_count: fc.constantFrom(0, 1, 3_000),
    root_service: hostile,
    opened_at: moment,
    number: absent(fc.nat()),
    title: absent(hostile),
    severity: absent(fc.constantFrom(...Severity.options)),
    acknowledged_at: absent(moment),
    acknowledged_by: absent(hostile),
    declared_by: absent(hostile),
    lead: absent(hostile),
    communications: absent(hostile),
    detected: absent(fc.record({ title: hostile, root_service: hostile }, { requiredKeys: [] })),
    closed_at: absent(moment),
    signals_ended_at: absent(moment),
    resolved_by: absent(hostile),
    resolution_note: absent(hostile),
    services: absent(fc.array(hostile, { maxLength: 40 })),
    url: absent(address),
    signals_by_type: absent(fc.constant({ trace: 1_000, metric: 1_000, log: 1_000 })),
    signals: absent(fc.array(anySignal, { maxLength: 30 })),
    activity: absent(fc.constantFrom<NonNullable<Incident['activity']>[]>('failing', 'quiet', 'recovered')),
    activity_since: absent(moment),
    last_seen_at: absent(moment),
    recurrences: absent(fc.nat({ max: 99 })),
    harm: absent(fc.option(harm)),
    impact: absent(fc.array(failingCall, { maxLength: 5 })),
    merged_into: absent(fc.constantFrom('inc_2', 'inc_3')),
    previous_incident_id: absent(fc.constantFrom('inc_2', 'inc_3')),
    possible_roots: absent(fc.array(hostile, { maxLength: 2 })),
    root_confidence: absent(fc.nat({ max: 100 })),
    root_reason: absent(hostile),
    similar: absent(fc.array(similar, { maxLength: 3 })),
    failures_per_minute: absent(
      fc.record({ from: moment, counts: fc.array(fc.nat({ max: 90_000 }), { maxLength: 30 }) }),
    ),
    links: absent(
      fc.array(fc.record({ kind: fc.constantFrom('runbook', 'generator', 'dashboard'), url: address }), {
        maxLength: 6,
      }),
    ),
    trace_id: absent(fc.option(hostile)),
    changes: absent(
      fc.array(fc.record({ at: moment, service: hostile, version: fc.option(hostile) }), { maxLength: 3 }),
    ),
    mute: absent(fc.option(mute)),
  })
  .map((fields) => present(fields) as Snapshot & Incident);

/** As a stranger sends it: only what the document requires. */
export const strangersIncident: fc.Arbitrary<Snapshot> = anyIncident.map(
  ({ id, status, signal_count, root_service, opened_at }) => ({ id, status, signal_count, root_service, opened_at }),
);

function present(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
