import { describe, expect, it } from 'vitest';
import { AT, card, linesOf, linesOnPhone, OPENED_AT, SHOWN } from '../../../test/support/card-lines.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { incidentDetails } from '../lists/incident-details.ts';
import { type CardContent, incidentCard } from './incident-card.ts';

const SINCE = '<!date^1769846400^{date_short_pretty} {time}, {ago}|2026-01-31 08:00 UTC>';

describe('what is above the buttons', () => {
  const everything: Partial<Snapshot> = {
    severity: 'critical',
    acknowledged_by: 'ana',
    acknowledged_at: AT,
    lead: 'ben',
    activity: 'failing',
    impact: [{ from: 'checkout', to: 'payments', calls: 216, failed: 208 }],
    failures_per_minute: { from: OPENED_AT, counts: [0, 3, 46] },
    root_confidence: 67,
    root_reason: 'payments logs a line that it never logged before: timeout',
    changes: [{ at: OPENED_AT, service: 'payments', version: '1.8.2' }],
    similar: [{ id: 'i', number: 2, closed_at: AT, resolution_note: 'rolled back', resolved_by: 'ana' }],
    services: ['payments', 'web', 'checkout'],
    links: [{ kind: 'runbook', url: 'https://wiki.example/payments' }],
    mute: null,
    detected: {},
  };

  const untaken = { ...everything, acknowledged_by: null, acknowledged_at: null, lead: null };
  const stale = new Date(AT);
  const mute = { id: 'm', target: 'service', value: 'payments', until: AT, created_by: 'ana', created_at: AT } as const;
  const long = 'payments: POST /v1/customers/{customer}/charges/{charge}/capture fails (connection refused)';

  it.each<[string, Partial<Snapshot>, Partial<CardContent>, Date | null]>([
    ['while nobody has it', untaken, {}, null],
    ['while somebody has it', everything, {}, null],
    ['with two roles', { ...everything, communications: 'carla' }, {}, null],
    ['with a long title', { ...untaken, title: long }, {}, null],
    ['with a pending action', untaken, { waiting: [{ kind: 'resolve', user: 'ana' }] }, null],
    ['during an outage', everything, { waiting: [{ kind: 'resolve', user: 'ana' }] }, stale],
    ['while it is muted', { ...untaken, mute: { ...mute, reason: 'the upgrade of the database' } }, {}, null],
    ['once it is quiet', { ...everything, activity: 'quiet', activity_since: AT, signals_ended_at: AT }, {}, null],
    ['with more than one root', { ...untaken, possible_roots: ['payments', 'inventory'] }, {}, null],
  ])('is at most six lines on a phone %s', (_when, fields, content, staleSince) => {
    const { blocks } = incidentCard({ incident: { ...SHOWN, ...fields }, ...content }, staleSince);

    expect(linesOnPhone(blocks)).toBeLessThanOrEqual(6);
  });

  it('keeps how likely the root is, and the deployment, where the title takes two lines', () => {
    const counts = [10, 14, 18, 22, 23, 23];
    const { blocks } = incidentCard({
      incident: {
        ...SHOWN,
        number: 2,
        severity: 'error',
        title: 'payments: POST /payments fails (no merchant account for currency EUR)',
        signal_count: 5,
        services: ['payments', 'checkout', 'web'],
        activity: 'failing',
        harm: { requests: 226, total: 270, failed: 226, since: OPENED_AT, per_minute: 23 },
        failures_per_minute: { from: OPENED_AT, counts },
        root_confidence: 91,
        possible_roots: [],
        changes: [{ at: OPENED_AT, service: 'payments', version: '1.4.2', failed_at: OPENED_AT }],
      },
    });

    expect(linesOnPhone(blocks)).toBeLessThanOrEqual(6);
    expect(JSON.stringify(blocks)).toContain('Root `payments`, very likely (91 %)');
    expect(JSON.stringify(blocks)).toContain('`payments` 1.4.2 deployed just before');
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
    expect(JSON.stringify(blocks)).not.toMatch(/94 %|never logged before/);
    expect(JSON.stringify(unsure.blocks)).toContain('Root service `checkout`, set by hand');
    expect(JSON.stringify(why.blocks)).toContain('*Why payments*');
  });

  it('says who taught the root, in which incident, before all other small print, and once', () => {
    const taught = { found: 'payments', incident: 1, at: AT, by: 'ana@example.com' };
    const reason = 'ana said so on 31 Jan 2026 in #1, where payments was found';
    const incident = { ...SHOWN, ...untaken, root_service: 'checkout', root_reason: reason, taught_root: taught };
    const { blocks } = incidentCard({ incident });
    const closed = incidentCard({ incident: { ...incident, status: 'closed' } });

    expect(JSON.stringify(blocks)).toContain('"text":"Root as ana set in #1, not `payments`');
    expect(JSON.stringify(blocks)).not.toContain('said so');
    expect(JSON.stringify(closed.blocks)).not.toContain('Root as');
  });

  const waiting = [{ kind: 'resolve', user: 'ana' }] as const;
  const muted = { ...mute, reason: 'the upgrade of the database in all regions' };

  it.each<[string, Partial<Snapshot>]>([
    ['names the root', { title: long }],
    ['names the root at its end', { title: 'Customers in three regions cannot pay by card: payments' }],
    ['does not name the root', { title: 'Customers in three regions cannot pay by card or by invoice' }],
    ['is unsure', { title: long, possible_roots: ['payments', 'inventory'] }],
  ])('is at most six lines on a phone with two roles and three notices if its title %s', (_title, fields) => {
    const people = [{ name: 'ana@example.com', slackUserId: 'U0ANA' }];
    const incident = { ...SHOWN, ...everything, communications: 'carla', mute: muted, ...fields };
    const { blocks } = incidentCard({ incident, waiting: [...waiting], people }, stale);

    expect(linesOnPhone(blocks)).toBeLessThanOrEqual(6);
    expect(JSON.stringify(blocks)).toMatch(/payments.*has not responded since · ⏳ Waiting: resolution by ana/);
  });

  const foreign: Partial<Snapshot> = {
    ...everything,
    title: 'Customers in three regions cannot pay by card or by invoice since the release',
    communications: 'carla',
    activity: 'recovered',
    activity_since: AT,
    impact: [{ from: 'checkout', to: 'payments', calls: 12_216, failed: 12_208 }],
  };

  it.each<[string, Partial<Snapshot>, Partial<CardContent>, Date | null]>([
    ['while nobody has it', untaken, {}, null],
    ['with two roles and much to say', {}, {}, null],
    ['with a pending action', {}, { waiting: [{ kind: 'resolve', user: 'ana' }] }, null],
    ['while it is muted', { mute: { ...mute, reason: 'the upgrade of the database in all regions' } }, {}, null],
    ['with more than one root', { possible_roots: ['payments', 'inventory'] }, {}, null],
    ['during an outage', { lead: null, communications: null }, {}, stale],
    ['if its title names the root where it is cut', { title: `${'Nobody can pay. '.repeat(5)} payments` }, {}, null],
  ])('names the root that the title does not name, within six lines, %s', (_when, fields, content, staleSince) => {
    const { blocks } = incidentCard({ incident: { ...SHOWN, ...foreign, ...fields }, ...content }, staleSince);

    expect(JSON.stringify(blocks)).toMatch(/\\nRoot (service )?(unsure: )?`payments`/);
    expect(linesOnPhone(blocks)).toBeLessThanOrEqual(6);
  });

  it.each([
    'rolled back',
    'raised the pool of connections to the ledger to 40, since it ran out at noon',
    'x'.repeat(90),
  ])('shows what fits of the note of an earlier fix: %s', (note) => {
    const similar = [{ id: 'i', number: 2, closed_at: AT, resolution_note: note, resolved_by: 'ana' }];
    for (const roots of [[], ['payments', 'inventory']]) {
      const fields = { ...untaken, changes: [], links: [], similar, possible_roots: roots };
      const { blocks } = incidentCard({ incident: { ...SHOWN, ...fields } });

      expect(JSON.stringify(blocks)).toContain(`Fixed before: #2, ${note.slice(0, 18)}`);
      expect(linesOnPhone(blocks)).toBeLessThanOrEqual(6);
    }
  });

  it('shortens the harm, rather than leaving it out, while an action is pending', () => {
    const harm = { requests: 12, total: 12, failed: 12, since: AT, per_minute: 12 };
    const fields: Partial<Snapshot> = { ...everything, severity: 'error', impact: [], changes: [], similar: [], harm };
    const incident = { ...SHOWN, ...fields, lead: null, links: [], root_reason: '', possible_roots: [] };

    expect(incidentCard({ incident, waiting: [...waiting] }).text).toMatch(/Still failing · 12 of 12 requests$/m);
  });

  it('names the incident that it continues, without its note where that does not fit', () => {
    const note = 'Rolled back checkout 1.2.3: its connection pool was too small.';
    const before = { ...SHOWN, id: 'i1', number: 1, status: 'closed', closed_at: AT, resolved_by: 'ana' } as const;
    const incident = { ...SHOWN, ...untaken, title: 'checkout: POST /charge fails', root_service: 'checkout' };
    const fields = { root_confidence: 93, changes: [], similar: [], links: [], previous_incident_id: 'i1' };
    const related = [{ ...before, resolution_note: note }];
    const { text, blocks } = incidentCard({ incident: { ...incident, ...fields }, related });

    expect(text).toMatch(/Continues #1, closed by ana ·/);
    expect(linesOnPhone(blocks)).toBeLessThanOrEqual(6);
  });

  it('is four lines, with one number for the harm, then the change and the earlier fix', () => {
    const bank = { title: 'bank: POST /charge fails (connection refused)', root_service: 'bank' };

    const seen = linesOf({ ...untaken, ...bank }).shown.map((line) =>
      line
        .replace(/<!date[^>]*>/g, '14 minutes ago')
        .replace(/<[^|>]*\|([^>]*)>/g, '$1')
        .replaceAll(/[*`]/g, ''),
    );

    expect(seen).toEqual([
      '🚨 Critical · #5 bank: POST /charge fails',
      '🔴 Not acknowledged · 14 minutes ago',
      'Still failing · 208 of 216 calls ▁▂█',
      'Root service bank, likely (67 %)',
      'payments 1.8.2 deployed just before it opened · Fixed before: #2, rolled back · Runbook · 3 signals',
    ]);
  });

  it('says first what waits, also during an outage', () => {
    const waiting = [{ kind: 'resolve', user: 'ana' }] as const;
    const { blocks } = incidentCard({ incident: { ...SHOWN, ...everything }, waiting }, stale);

    expect(JSON.stringify(blocks)).toMatch(/has not responded since · ⏳ Waiting: resolution by ana/);
  });

  it('is in the details with everything that the card leaves out', () => {
    const { text } = incidentDetails({
      incident: { ...SHOWN, ...everything, title: long, similar: everything.similar },
    });

    expect(text.split('\n')).toEqual([
      `Critical · #5 ${long}`,
      expect.stringMatching(/^Acknowledged by ana, .* · ben leads · /),
      'Still failing · 208 of 216 calls',
      'Root service `payments`, likely (67 %)',
      'Logs a line that it never logged before: timeout',
      `Opened ${SINCE}`,
      'Still failing',
      'Impact: `checkout` -&gt; `payments`: 208 of 216 calls failed within a minute',
      'Changed: `payments` 1.8.2 deployed just before it opened',
      expect.stringMatching(/^Happened before: #2, rolled back \(ana, /),
      'Also affects `web`, `checkout`',
      '3 signals',
    ]);
  });

  it('is followed by at most three buttons and a menu', () => {
    const buttonsOf = (fields: Partial<Snapshot>) =>
      Object(card({ ...everything, ...fields }).blocks.at(-1)).elements.map((each: object) => {
        const { text, options = [] } = Object(each);
        return text?.text ?? options.map((option: object) => Object(option).text.text);
      });

    expect(buttonsOf({ acknowledged_by: null, acknowledged_at: null })).toEqual([
      'Acknowledge',
      'Resolve',
      'Show',
      ['Signals', 'Snooze', 'Change'],
    ]);
    expect(buttonsOf({})).toEqual(['Resolve', 'Show', ['Signals', 'Snooze', 'Change']]);
    expect(buttonsOf({ status: 'closed' })).toEqual(['Show', 'Signals']);
    expect(buttonsOf({ id: 'x'.repeat(80) }).at(-1)).toBe('Signals');
  });
});
