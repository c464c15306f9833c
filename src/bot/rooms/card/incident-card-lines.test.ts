import { describe, expect, it } from 'vitest';
import { AT, card, linesOf, OPENED_AT, SHOWN } from '../../../../test/support/card-lines.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import { incidentDetails } from '../lists/incident-details.ts';
import { incidentCard } from './incident-card.ts';

const SINCE = '<!date^1769846400^{date_short_pretty} {time}, {ago}|2026-01-31 08:00 UTC>';

describe('what is above the buttons', () => {
  const everything: Partial<Snapshot> = {
    severity: 'critical',
    title: 'payments: POST /charge fails (no merchant account for currency EUR)',
    acknowledged_by: 'ana',
    acknowledged_at: AT,
    lead: 'ben',
    activity: 'failing',
    impact: [{ from: 'checkout', to: 'payments', calls: 216, failed: 208 }],
    failures_per_minute: { from: OPENED_AT, counts: [0, 3, 46, 12] },
    root_confidence: 67,
    root_reason: 'payments: 208 of 216 requests failed in payments-1 alone',
    changes: [{ at: OPENED_AT, service: 'payments', version: '1.8.2' }],
    similar: [{ id: 'i', number: 2, closed_at: AT, resolution_note: 'rolled back', resolved_by: 'ana' }],
    services: ['payments', 'web', 'checkout'],
    links: [{ kind: 'runbook', url: 'https://wiki.example/payments' }],
    mute: null,
    detected: {},
    harm: { requests: 208, total: 216, failed: 208, since: AT, per_minute: 46 },
  };
  const untaken = { ...everything, acknowledged_by: null, acknowledged_at: null, lead: null };

  it('is what fails with its error, who has it, the harm, and the root with its cause; then what helps most', () => {
    const seen = linesOf(untaken).shown.map((line) =>
      line
        .replace(/<!date[^>]*\{ago\}[^>]*>/g, '14 minutes ago')
        .replace(/<!date[^>]*>/g, '08:14')
        .replace(/<[^|>]*\|([^>]*)>/g, '$1')
        .replaceAll(/[*`]/g, ''),
    );

    expect(seen).toEqual([
      '🚨 Critical · #5 payments: POST /charge fails (no merchant account for currency EUR)',
      '🔴 Not acknowledged · opened 14 minutes ago',
      'Still failing · 208 of 216 requests failed · since 08:14',
      'Root service payments: failed in payments-1 alone',
      'Fixed before: #2, rolled back · payments 1.8.2 deployed just before it opened · Also affects web, checkout · Runbook · ▁▂█ failures a minute',
    ]);
  });

  it('says who took it how long ago, and when it opened', () => {
    const [, line] = linesOf(everything).spoken;

    expect(line).toMatch(
      /^Acknowledged by ana <!date\^1769847240\^\{ago\}\S+ \d\d:\d\d UTC> · opened <!date[^>]*> · ben leads$/,
    );
  });

  it('never takes a weaker fact for a better one that does not fit', () => {
    const note = 'raised the pool of connections to the ledger to 40, since it ran out at noon'.repeat(3);
    const waiting = [{ name: 'resolution', user: 'ana' }];
    const mute = {
      id: 'm',
      target: 'service',
      value: 'payments',
      until: AT,
      created_by: 'ana',
      created_at: AT,
    } as const;
    const incident = { ...SHOWN, ...untaken, mute };
    const similar = [
      {
        id: 'i',
        number: 11,
        title: 'payments: another failure',
        closed_at: AT,
        resolution_note: 'other',
        resolved_by: 'a',
      },
      { id: 'j', number: 9, title: incident.title, closed_at: AT, resolution_note: note, resolved_by: 'ana' },
    ];
    const small = String(linesOf({ ...incident, similar }, { waiting: [...waiting] }).spoken.at(-1));
    const continued = { ...incident, similar: [...similar], previous_incident_id: 'j' };

    expect(small).toMatch(
      /resolution by ana · .*Muted until .* · Fixed before: #9, raised .*… · .*deployed .* · Also affects/,
    );
    expect(small).not.toMatch(/#11|Runbook|signals/);
    expect(linesOf(continued).spoken.at(-1)).toMatch(/ · Continues #9, closed by ana: raised/);
    expect(linesOf(continued).spoken.join()).not.toContain('#11');
  });

  it('names the release in which alone requests are lost', () => {
    const only_in = { attribute: 'version', value: '1.4.2' };

    expect(linesOf({ ...untaken, only_in }).shown.at(-1)).toContain('Only in version `1.4.2`');
    expect(linesOf({ ...untaken, only_in, status: 'closed' }).shown.at(-1)).not.toContain('Only in');
  });

  it('says that the root was set by hand, not how sure the service is of its own', () => {
    const byHand = { root_service: 'checkout', detected: { root_service: 'payments' }, root_confidence: 94 };
    const { blocks } = incidentCard({ incident: { ...SHOWN, ...untaken, ...byHand } });
    const unsure = incidentCard({ incident: { ...SHOWN, ...byHand, possible_roots: ['payments', 'web'] } });
    const correlation = { method: '', confidence: 0.94, services: [], edges: [], window: { from: AT, to: AT } };
    const why = incidentDetails({
      incident: { ...SHOWN, ...byHand, correlation: { ...correlation, evidence: ['payments: 9 of 9 failed here'] } },
    });

    expect(JSON.stringify(blocks)).toContain('Root service `checkout`, set by hand');
    expect(JSON.stringify(blocks)).not.toMatch(/94 %|payments-1 alone/);
    expect(JSON.stringify(unsure.blocks)).toContain('Root service `checkout`, set by hand');
    expect(JSON.stringify(why.blocks)).toContain('*Why payments*');
    expect(JSON.stringify(why.blocks)).not.toContain('94 %');
  });

  it('says who taught the root and in which incident', () => {
    const taught = { found: 'payments', incident: 1, at: AT, by: 'ana@example.com' };
    const reason = 'set by hand on 31 Jan 2026 in #1, where payments was found';
    const incident = { ...SHOWN, ...untaken, root_service: 'checkout', root_reason: reason, taught_root: taught };

    expect(incidentCard({ incident }).text).toContain('Root service `checkout`, as ana set in #1, not `payments`\n');
    expect(incidentCard({ incident }).text).not.toContain('by hand');
    expect(incidentCard({ incident: { ...incident, status: 'closed' } }).text).not.toContain('as ana set');
  });

  it('keeps what it says of a closed incident: how long it lasted, and who had which role', () => {
    const closed = { status: 'closed', closed_at: AT, resolved_by: 'ana', communications: 'carla' } as const;

    expect(linesOf({ ...everything, ...closed }).spoken[1]).toMatch(
      /^Closed by ana, .* · lasted 14 min · ben leads, carla communicates$/,
    );
  });

  it('is all in the details, with how sure the root is', () => {
    expect(incidentDetails({ incident: { ...SHOWN, ...everything } }).text.split('\n')).toEqual([
      'Critical · #5 payments: POST /charge fails (no merchant account for currency EUR)',
      expect.stringMatching(/^Acknowledged by ana .* · ben leads$/),
      expect.stringMatching(/^Still failing · 208 of 216 requests failed · since /),
      'Root service `payments`: failed in payments-1 alone',
      `Opened ${SINCE}`,
      'Root likely (67 %)',
      'Still failing',
      'Impact: `checkout` -&gt; `payments`: 208 of 216 calls failed within a minute',
      'Changed: `payments` 1.8.2 deployed just before it opened',
      expect.stringMatching(/^Happened before: #2, rolled back \(ana, /),
      'Also affects `web`, `checkout`',
      '3 signals',
    ]);
  });

  it('is followed by at most three controls, of which the last may be a menu', () => {
    const buttonsOf = (fields: Partial<Snapshot>) =>
      Object(card({ ...everything, ...fields }).blocks.at(-1)).elements.map((each: object) => {
        const { text, options = [] } = Object(each);
        return text?.text ?? options.map((option: object) => Object(option).text.text);
      });

    expect(buttonsOf({ acknowledged_by: null, acknowledged_at: null })).toEqual([
      'Acknowledge',
      'Resolve',
      ['Show', 'Signals', 'Add a note', 'Snooze', 'Change'],
    ]);
    expect(buttonsOf({})).toEqual(['Resolve', 'Show', ['Signals', 'Add a note', 'Snooze', 'Change', 'Merge']]);
    expect(buttonsOf({ status: 'closed' })).toEqual(['Show', ['Signals', 'Add a note']]);
    expect(buttonsOf({ status: 'closed', merged_into: 'inc_2' })).toEqual([
      'Show',
      ['Signals', 'Add a note', 'Split off'],
    ]);
    expect(buttonsOf({ activity: 'recovered', acknowledged_by: null, acknowledged_at: null }).slice(0, 2)).toEqual([
      'Resolve',
      'Acknowledge',
    ]);
    expect(buttonsOf({ id: 'x'.repeat(80) }).at(-1)).toBe('Signals');
  });
});
