import { expect, it } from 'vitest';
import type { RecordedEntry } from '../../actions/audit-log.ts';
import { auditCsv } from './audit-csv.ts';
import { incidentReport } from './incident-report.ts';

const NOW = new Date('2026-01-31T09:00:00.000Z');

function entry(fields: Partial<RecordedEntry> = {}): RecordedEntry {
  return {
    at: NOW,
    action: 'resolve',
    incidentId: 'inc_1',
    slackUserId: 'U1',
    userName: 'ana',
    channelId: 'C1',
    origin: '/incidents resolve',
    outcome: 'done',
    detail: null,
    ...fields,
  };
}

it('lists what fired, who did what when, the impact, the notes and the duration', () => {
  const report = incidentReport(
    {
      id: 'inc_1',
      number: 6,
      status: 'closed',
      signal_count: 2,
      title: 'payments: <b>POST</b> fails',
      root_service: 'payments',
      services: ['payments', 'web'],
      opened_at: '2026-01-31T08:00:00.000Z',
      acknowledged_at: '2026-01-31T08:02:00.000Z',
      acknowledged_by: 'ana',
      closed_at: '2026-01-31T08:30:00.000Z',
      resolved_by: 'ben',
      resolution_note: 'rolled back\n# 1.2.3',
      impact: [{ from: 'web', to: 'payments', calls: 10, failed: 4 }],
      timeline: [
        { at: '2026-01-31T08:00:00.000Z', event: 'opened' },
        { at: '2026-01-31T08:10:00.000Z', event: 'note', by: 'ana', text: 'looking at *it*' },
      ],
      signals: [{ id: 's', type: 'log', service: 'payments', body: 'refused', occurrences: 3 }],
    },
    [],
    NOW,
  );

  expect(report).toBe(`# Incident #6: payments: \\<b\\>POST\\</b\\> fails

- State: closed
- Root service: payments
- Other services: web
- Opened: 2026-01-31 08:00:00 UTC
- Acknowledged: 2026-01-31 08:02:00 UTC by ana
- Closed: 2026-01-31 08:30:00 UTC by ben
- Duration: 30 min
- Signals: 2 signals

## Impact

- web -> payments: 4 of 10 calls failed within a minute

## Timeline

- 2026-01-31 08:00:00 UTC opened
- 2026-01-31 08:10:00 UTC note by ana:
  > looking at \\*it\\*

## Resolution

> rolled back
> \\# 1.2.3

## What fired

- log of payments: refused (3 times)

`);
});

it('has what people did through the bot where the service has no timeline', () => {
  const incident = {
    id: 'a_b',
    status: 'open',
    signal_count: 1,
    root_service: 'x',
    opened_at: NOW.toISOString(),
  } as const;

  const report = incidentReport(incident, [entry({ detail: 'the service said no', outcome: 'refused' })], NOW);

  expect(report).toContain('# Incident a\\_b: x');
  expect(report).toContain('UTC resolve: refused by ana:\n  > the service said no');
});

it('writes CSV in which no text becomes a formula or another column', () => {
  const csv = auditCsv([entry({ userName: '=cmd()', detail: 'a "b",\nc' })]);

  expect(csv).toBe(
    [
      'at,action,outcome,user,slack_user_id,incident_id,channel_id,origin,detail',
      `2026-01-31T09:00:00.000Z,resolve,done,'=cmd(),U1,inc_1,C1,/incidents resolve,"a ""b"",\nc"`,
      '',
    ].join('\r\n'),
  );
});
