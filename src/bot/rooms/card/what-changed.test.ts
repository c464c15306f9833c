import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../incident/snapshot.ts';
import { type Facts, factsOf } from './facts.ts';
import { whatChanged } from './what-changed.ts';

const OPENED_AT = '2026-01-31T08:00:00.000Z';
const FIRST = new Date('2026-01-31T08:00:10.000Z');
const LATER = new Date('2026-01-31T08:05:10.000Z');

function facts(fields: Partial<Snapshot> = {}, now = LATER): Facts {
  const incident: Snapshot = {
    id: 'inc_1',
    status: 'open',
    signal_count: 12,
    root_service: 'checkout',
    opened_at: OPENED_AT,
    ...fields,
  };
  return factsOf(incident, now);
}

function linesAfter(before: Partial<Snapshot>, after: Partial<Snapshot>): readonly string[] {
  return whatChanged(facts(before, FIRST), facts({ ...before, ...after })).lines;
}

describe('the reply about changes', () => {
  it('reports growth in one line, with new services and a higher severity', () => {
    const lines = linesAfter(
      { signals_by_type: { trace: 12, metric: 0, log: 0 }, services: ['checkout'], severity: 'warning' },
      {
        signal_count: 49,
        signals_by_type: { trace: 40, metric: 0, log: 9 },
        services: ['checkout', 'payments'],
        severity: 'critical',
      },
    );

    expect(lines).toEqual([
      '+37 signals in 5 min (traces 12→40, logs 0→9), new service `payments`, severity now critical, before warning',
    ]);
  });

  it('names the alerts that joined', () => {
    const [first, second] = ['db-1: Full (/mnt/a)', 'db-1: Full (/mnt/b)'];

    expect(linesAfter({ alerts: [first] }, { alerts: [first, second] })).toEqual([`Also firing: ${second}`]);
    expect(linesAfter({}, { alerts: [first] })).toEqual([]); // it opened the incident
    expect(linesAfter({ alerts: [first] }, { alerts: [first, 'a', 'b', 'c', 'd', 'e'] })).toEqual([
      'Also firing: a; b; c; and 2 more alerts',
    ]);
  });

  it('leaves out small changes of counts', () => {
    expect(linesAfter({ signal_count: 1 }, { signal_count: 10 })).toEqual([]);
    expect(linesAfter({ signal_count: 100 }, { signal_count: 199 })).toEqual([]);
    expect(linesAfter({ signal_count: 1 }, { signal_count: 11 })).toEqual(['+10 signals in 5 min']);
    expect(linesAfter({ signal_count: 100 }, { signal_count: 200 })).toEqual(['+100 signals in 5 min']);
  });

  it('names who acknowledged and who closed, with the time and the note', () => {
    const acknowledged = { acknowledged_by: 'ana', acknowledged_at: '2026-01-31T08:01:00.000Z' };
    const closed = { status: 'closed', resolved_by: 'ben', closed_at: '2026-01-31T08:04:00.000Z' } as const;
    const note = { resolution_note: 'rolled back\n<!channel> 1.2.3' };

    expect(linesAfter({}, { ...acknowledged, ...closed, ...note })).toEqual([
      'Acknowledged by ana, <!date^1769846460^{date_short_pretty} {time}|2026-01-31 08:01 UTC>',
      'Closed by ben, <!date^1769846640^{date_short_pretty} {time}|2026-01-31 08:04 UTC>: rolled back &lt;!channel&gt; 1.2.3',
    ]);
    expect(linesAfter(acknowledged, { acknowledged_by: null, acknowledged_at: null })).toEqual([
      'No longer acknowledged',
    ]);
    expect(linesAfter(closed, { status: 'open' })).toEqual(['Open again']);
  });

  it('names who took back an acknowledgement or a closing, if that is known', () => {
    const acknowledged = { acknowledged_by: 'ana', acknowledged_at: '2026-01-31T08:01:00.000Z' };
    const open = { acknowledged_by: null, acknowledged_at: null, status: 'open' } as const;
    const closed = { status: 'closed', closed_at: '2026-01-31T08:01:00.000Z' } as const;
    const entry = { by: 'ben', text: 'it is\n<back>' };
    const unacknowledged = { ...entry, event: 'unacknowledged' } as const;
    const reopened = { ...entry, event: 'reopened', at: '2026-01-31T08:02:00.000Z' } as const;

    expect(
      linesAfter(acknowledged, { ...open, taken_back: { ...unacknowledged, at: '2026-01-31T08:02:00.000Z' } }),
    ).toEqual(['No longer acknowledged: ben took back the acknowledgement (it is &lt;back&gt;)']);
    expect(
      linesAfter(acknowledged, { ...open, taken_back: { ...unacknowledged, at: '2026-01-31T08:00:00.000Z' } }),
    ).toEqual(['No longer acknowledged']);
    expect(linesAfter(closed, { status: 'open', taken_back: reopened })).toEqual([
      'Open again, reopened by ben: it is &lt;back&gt;',
    ]);
    expect(linesAfter(closed, { status: 'open', taken_back: { ...reopened, text: undefined } })).toEqual([
      'Open again, reopened by ben',
    ]);
  });

  it('says that every signal has ended, and that it fails again', () => {
    const over = { signals_ended_at: '2026-01-31T08:04:00.000Z' };

    expect(linesAfter({ signals_ended_at: null }, over)).toEqual([
      'All signals ended <!date^1769846640^{date_short_pretty} {time}|2026-01-31 08:04 UTC>',
    ]);
    expect(linesAfter(over, { signals_ended_at: '2026-01-31T08:04:30.000Z' })).toEqual([]);
    expect(linesAfter(over, { signals_ended_at: null })).toEqual(['Failing again']);
    expect(linesAfter(over, { signals_ended_at: null, recurrences: 2 })).toEqual(['Failing again, 3 times so far']);
    expect(linesAfter({ recurrences: 1 }, { recurrences: 2 })).toEqual(['Failing again, 3 times so far']);
    expect(linesAfter({ recurrences: 2 }, { recurrences: 2 })).toEqual([]);
    expect(linesAfter(over, { signals_ended_at: null, status: 'closed' })).toEqual(['Closed']);
  });

  it('reports each change of the root once, except while the incident settles and once it is closed', () => {
    const change = (seconds: number, to: string, because = '') => ({
      at: new Date(Date.parse(OPENED_AT) + seconds * 1_000).toISOString(),
      from: 'orders-db',
      to,
      because,
    });
    const early = change(29, 'web');
    const first = change(40, 'bank', 'checkout -> bank: 40 of 40 calls failed');
    const later = change(90, 'inventory');

    expect(linesAfter({}, { root_changes: [early, first] })).toEqual([
      'Root changed: `orders-db` -&gt; `bank`, because checkout -&gt; bank: 40 of 40 calls failed.',
    ]);
    expect(linesAfter({ root_changes: [early, first] }, { root_changes: [first, later] })).toEqual([
      'Root changed: `orders-db` -&gt; `inventory`.',
    ]);
    expect(linesAfter({ root_changes: [first, later] }, { root_changes: [later] })).toEqual([]);
    expect(linesAfter({}, { root_changes: [first], status: 'closed' })).toEqual(['Closed']);
  });

  it('says nothing more once the incident is closed', () => {
    expect(linesAfter({ status: 'closed' }, { signal_count: 5_000, services: ['x'], resolution_note: 'late' })).toEqual(
      [],
    );
  });

  it('counts growth since the last reply that contained a count', () => {
    const acknowledged = { acknowledged_by: 'ana' };
    const afterAcknowledging = whatChanged(
      facts({ signal_count: 12 }, FIRST),
      facts({ signal_count: 20, ...acknowledged }),
    );

    const grown = whatChanged(afterAcknowledging.told, facts({ signal_count: 25, ...acknowledged }));

    expect(afterAcknowledging.lines).toEqual(['Acknowledged by ana']);
    expect(grown.lines).toEqual(['+13 signals in 5 min']);
  });

  it('does not report a service or a severity that comes back', () => {
    const first = facts({ services: ['checkout', 'payments'], severity: 'critical' }, FIRST);
    const calmer = whatChanged(first, facts({ services: ['checkout'], severity: 'info' }));

    const back = whatChanged(calmer.told, facts({ services: ['checkout', 'payments'], severity: 'critical' }));

    expect([calmer.lines, back.lines]).toEqual([[], []]);
  });

  it('names a few of many new services and counts the rest', () => {
    const services = Array.from({ length: 40 }, (_, index) => `service-${index}`);

    const [line] = linesAfter({}, { services });

    expect(line).toMatch(/^New services `service-0`, .*`service-4` and 35 more$/);
  });

  const hostile = fc.oneof(
    fc.constantFrom('<!channel>', '<@U1|x>', '&lt;!here&gt;', '`*_~>', '\u202Eevil', 'a\nb', 's'.repeat(200)),
    fc.constant('&<>'.repeat(2_000)),
    fc.string({ unit: 'binary', maxLength: 60 }),
  );
  const absent = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
  const moment = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
  const rootChange = fc.record({
    at: moment.map((at) => at.toISOString()),
    from: hostile,
    to: hostile,
    because: hostile,
  });
  const anyFacts = fc
    .record({
      status: fc.constantFrom<Snapshot['status'][]>('open', 'closed'),
      signal_count: fc.constantFrom(0, 1, 25, 3_000),
      signals_by_type: absent(fc.record({ trace: fc.nat(), metric: fc.nat(), log: fc.nat() })),
      root_service: hostile,
      services: absent(fc.array(hostile, { maxLength: 40 })),
      severity: absent(fc.constantFrom<NonNullable<Snapshot['severity']>[]>('critical', 'error', 'warning', 'info')),
      acknowledged_by: absent(hostile),
      acknowledged_at: absent(moment.map((at) => at.toISOString())),
      resolved_by: absent(hostile),
      resolution_note: absent(hostile),
      root_changes: absent(fc.array(rootChange, { maxLength: 10 })),
    })
    .chain((fields) => moment.map((now) => facts(fields, now)));

  it('is short and free of control sequences, whatever the incident contains', () => {
    fc.assert(
      fc.property(anyFacts, anyFacts, (before, after) => {
        for (const line of whatChanged(before, after).lines) {
          const rest = line
            .replace(/<!date\^\d+\^\{date_short_pretty\} \{time\}\|[\d: -]+ UTC>/g, '')
            .replace(/&(?:amp|lt|gt);/g, '');
          expect(rest).not.toMatch(/[<>&\n]/);
          expect(line.length).toBeLessThanOrEqual(1_000);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('repeats nothing', () => {
    fc.assert(
      fc.property(anyFacts, anyFacts, (before, after) => {
        const { told } = whatChanged(before, after);
        expect(whatChanged(told, after)).toEqual({ lines: [], told });
      }),
      { numRuns: 300 },
    );
  });
});
