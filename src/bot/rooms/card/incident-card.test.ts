import { describe, expect, it } from 'vitest';
import { AT, card, linesOf, OPENED_AT, SHOWN } from '../../../../test/support/card-lines.ts';
import { incidentDetails } from '../lists/incident-details.ts';

const AGO = '<!date^1769846400^{ago}|2026-01-31 08:00 UTC>';
const TIME = '<!date^1769847240^{date_short_pretty} {time}|2026-01-31 08:14 UTC>';

describe('the first line', () => {
  it('says how severe it is and what fails, the second whether somebody has it, without an age that needs edits', () => {
    const { spoken, shown } = linesOf({ severity: 'critical' });

    expect(spoken).toEqual([
      'Critical · #5 payments: POST /charge fails',
      `Not acknowledged · opened ${AGO}`,
      '3 signals',
    ]);
    expect(shown).toEqual([
      '*🚨 Critical* · *#5 payments: POST /charge fails*',
      `🔴 *Not acknowledged* · opened ${AGO}`,
      '3 signals',
    ]);
  });

  it('of a closed incident says how long it lasted', () => {
    const closed = { status: 'closed', closed_at: AT, resolved_by: 'ana' } as const;

    expect(linesOf(closed).spoken[1]).toBe(`Closed by ana, ${TIME} · lasted 14 min`);
    expect(linesOf({ ...closed, closed_at: null }).spoken[1]).toBe('Closed by ana');
    expect(linesOf({ ...closed, closed_at: '2026-01-30T08:00:00.000Z' }).spoken[1]).toMatch(/UTC>$/);
  });
});

it('says in one line whether it still fails, how much, and since when', () => {
  const impact = [{ from: 'checkout', to: 'payments', calls: 216, failed: 208 }];
  const { spoken, shown } = linesOf({ activity: 'recovered', activity_since: AT, signals_ended_at: AT, impact });

  expect(spoken[2]).toBe(`Recovered ${TIME} · 208 of 216 calls failed`);
  expect(shown[1]).toBe(`🔴 *Not acknowledged* · opened ${AGO}`);
  expect(shown[2]).toBe(spoken[2]);
  expect(linesOf({ signals_ended_at: AT }).spoken[2]).toBe(`All signals ended ${TIME}`);
});

describe('the root service', () => {
  it.each(['x'.repeat(190), '🔥'.repeat(40)])('hides neither the harm nor the age with a long name: %s', (name) => {
    const { shown } = linesOf({ title: 'Cards are refused', root_service: name, activity: 'failing', signal_count: 1 });

    expect(shown[1]).toBe(`🔴 *Not acknowledged* · opened ${AGO}`);
    expect(shown[2]).toBe('Still failing');
    expect(shown[3]).toBe(`Root service \`${name}\``);
  });

  it('is left out if the title names it and no cause is known', () => {
    expect(linesOf({ possible_roots: [], root_confidence: 50 }).spoken.join()).not.toContain('Root');
    expect(linesOf({ title: 'Cards are refused' }).spoken[2]).toBe('Root service `payments`');
  });

  it('shares a line with its cause, which repeats neither its name nor the title', () => {
    const reason = 'payments logs a line that it never logged before: timeout.';

    expect(linesOf({ root_reason: reason }).spoken[2]).toBe(
      'Root service `payments`: logs a line that it never logged before: timeout',
    );
    expect(linesOf({ root_reason: reason, title: 'payments: charge fails: timeout' }).spoken[2]).toBe(
      'Root service `payments`: logs a line that it never logged before',
    );
    expect(linesOf({ title: 'cards are refused', root_reason: 'payments: cards are refused' }).spoken[2]).toBe(
      'Root service `payments`',
    );
  });

  it('has a cause at another service as it is written', () => {
    const of = (root_reason: string) => linesOf({ root_reason }).spoken[2];

    expect(of('ledger: POST /charge: 51 of 51 requests failed there, and no others')).toBe(
      'Root service `payments`: ledger: POST /charge: 51 of 51 requests failed there, and no others',
    );
    expect(of('payments: POST /charge fails')).toBe('3 signals');
  });

  it('has a cause unless the impact says the same, or it is closed', () => {
    const reason = { root_reason: 'checkout -> payments: 40 of 40 calls failed' };
    const impact = [{ from: 'checkout', to: 'payments', calls: 40, failed: 40 }];

    expect(linesOf(reason).spoken[2]).toBe('Root service `payments`: checkout -&gt; payments: 40 of 40 calls failed');
    expect(linesOf({ ...reason, impact }).spoken.join()).not.toContain('-&gt;');
    expect(linesOf({ ...reason, status: 'closed' }).spoken.join()).not.toContain('-&gt;');
  });

  it('has no cause that the line of deployments says', () => {
    const changes = [{ at: '2026-01-31T07:57:00.000Z', service: 'payments', version: '1.8.2' }];
    const reason = (version: string) => ({ changes, root_reason: `payments ${version} deployed 1 min before` });

    expect(linesOf(reason('1.8.2')).spoken.join()).not.toContain('1 min before');
    expect(linesOf(reason('1.8.1')).spoken.join()).toContain('1.8.1 deployed 1 min before');
  });
});

it('names the deployments just before it', () => {
  const failed_at = '2026-01-31T07:59:00.000Z';
  const change = (at: string, version: string | null) => ({ at, service: 'payments', version, failed_at });
  const changes = [
    change('2026-01-31T07:56:00.000Z', '1.8.2'),
    change('2026-01-31T07:59:50.000Z', null),
    change(OPENED_AT, '1.8.0'),
  ];

  expect(linesOf({ changes }).spoken).toContain('`payments` 1.8.2 deployed 3 min before the first failure · 3 signals');
  expect(incidentDetails({ incident: { ...SHOWN, changes } }).text).toContain(
    'Changed: `payments` 1.8.2 deployed 3 min before the first failure; `payments` deployed 1 min after the first failure',
  );
  expect(linesOf({ changes: [] }).spoken.join()).not.toContain('deployed');
});

describe('the rate', () => {
  const rate = (...counts: number[]) => ({ failures_per_minute: { from: OPENED_AT, counts } });

  it('is a number, and a picture in the small print, of whole minutes', () => {
    const { spoken, shown } = linesOf(rate(0, 1, 46, 80, 46, 3));

    expect(shown[2]).toBe('46 failures in the last minute');
    expect(shown[3]).toBe('▁▂▅█▅ failures a minute · 3 signals');
    expect(spoken[2]).toBe('46 failures in the last minute');
  });

  it('has no last minute without a failure while it goes on, as an alert that nobody repeats', () => {
    expect(linesOf({ ...rate(2, 0, 0), activity: 'failing' }).spoken[2]).toBe(
      'Still failing · at most 2 failures a minute',
    );
  });

  it('is the most of a minute once nothing is seen, and shows the last ten', () => {
    const over = { ...rate(9, ...Array<number>(15).fill(2), 1), activity: 'recovered' } as const;

    expect(linesOf(over).shown[2]).toBe('Recovered · at most 9 failures a minute');
    expect(linesOf(over).shown[3]).toMatch(new RegExp(`^${'█'.repeat(10)} failures a minute`));
    expect(linesOf({ ...rate(2, 0), status: 'closed' }).shown[2]).toBe('At most 2 failures a minute');
    for (const none of [rate(0, 0, 0, 0), rate(0, 1, 5), rate(46), rate(), {}]) {
      expect(linesOf(none).shown.join()).not.toContain('minute');
    }
  });
});

describe('people', () => {
  const people = [{ name: 'ana@example.com', slackUserId: 'U0ANA' }];
  const taken = { acknowledged_by: 'ana@example.com', acknowledged_at: AT };

  it('are mentioned on the card where Slack knows them, and named in the text, which notifications show', () => {
    const { spoken, shown } = linesOf(taken, { people });

    expect(shown[1]).toContain('*Acknowledged* by <@U0ANA> <');
    expect(spoken[1]).toContain('Acknowledged by ana <');
    expect(linesOf({ ...taken, status: 'closed', resolved_by: 'ben' }, { people }).shown).toEqual([
      expect.any(String),
      expect.stringContaining('*Closed* by ben'),
      expect.stringMatching(/^Acknowledged by <@U0ANA>, <[^>]*> · 3 signals$/),
    ]);
  });

  it('are never named by an e-mail address', () => {
    const { text, blocks } = card({ ...taken, status: 'closed', resolved_by: 'ben.b@mail.example.com' });

    expect(text).toMatch(/^Closed by ben\.b$/m);
    expect(text + JSON.stringify(blocks)).not.toContain('@');
  });

  it('cannot be forged by a name', () => {
    const forged = [{ name: 'x', slackUserId: 'U1> <!channel' }];

    expect(linesOf({ acknowledged_by: 'x' }, { people: forged }).shown[1]).toContain('by x');
    expect(linesOf({ acknowledged_by: '<@U0ANA>' }, { people }).shown[1]).toContain('by &lt;@U0ANA&gt;');
  });
});

describe('links', () => {
  const links = [
    { kind: 'runbook', url: 'https://wiki.example/run?a=1&b=2' },
    { kind: 'runbook', url: 'https://wiki.example/second' },
    { kind: 'dashboard', url: 'javascript:alert(1)' },
    { kind: 'generator', url: 'http://prom.example/graph?q=<x>|y' },
  ] as const;
  const traceUrl = 'https://traces.example/{trace_id}?t={trace_id}';

  it('are in the small print, one of each kind, and only to web pages; in the details they are buttons', () => {
    const fields = { links: [...links], trace_id: 'a/b' };
    const details = incidentDetails({ incident: { ...SHOWN, ...fields }, traceUrl });

    expect(linesOf(fields, { traceUrl }).shown.at(-1)).toContain(
      '<https://wiki.example/run?a=1&amp;b=2|Runbook>, <http://prom',
    );
    expect(Object(details.blocks.at(-1)).elements).toMatchObject([
      {
        text: { text: 'Runbook' },
        url: 'https://wiki.example/run?a=1&b=2',
        accessibility_label: 'Runbook of incident #5',
      },
      { text: { text: 'Alert source' }, url: 'http://prom.example/graph?q=%3Cx%3E%7Cy' },
      { text: { text: 'Trace' }, url: 'https://traces.example/a%2Fb?t=a%2Fb' },
    ]);
  });

  it('are absent without a page', () => {
    expect(card({ trace_id: 'abc' }).blocks.at(-1)).toEqual(card({}).blocks.at(-1));
    expect(card({ trace_id: null }, { traceUrl }).text).not.toContain('Links');
  });
});

it('says until when it is muted, by whom and why', () => {
  const mute = { id: 'm', target: 'service', value: 'payments', until: AT, created_by: 'ana', created_at: AT } as const;

  expect(linesOf({ mute: { ...mute, reason: 'planned work' } }).spoken[2]).toMatch(
    /^🔕 Muted until <[^>]*> by ana: planned work ·/,
  );
  expect(linesOf({ mute: { ...mute, target: 'incident' } }).spoken[2]).toMatch(/^🔕 Snoozed until <[^>]*> by ana ·/);
  expect(linesOf({ mute: null }).spoken.join()).not.toContain('🔕');
});
