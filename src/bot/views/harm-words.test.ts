import { expect, it } from 'vitest';
import { AT, SHOWN } from '../../../test/support/card-lines.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { reasonWords } from './activity-words.ts';
import { incidentCard } from './incident-card.ts';
import { harmNow } from './incident-lines.ts';

const TIME = '<!date^1769847240^{date_short_pretty} {time}|2026-01-31 08:14 UTC>';
const HARM = { requests: 176, total: 352, failed: 176, since: AT, per_minute: 60 };

function incident(fields: Partial<Snapshot>): Snapshot {
  return { ...SHOWN, activity: 'failing', activity_since: AT, harm: HARM, ...fields };
}

it('shows lost requests rather than calls, and since when', () => {
  const impact = [{ from: 'checkout', to: 'payments', calls: 216, failed: 208 }];

  expect(harmNow(incident({ impact }))).toBe(`Still failing · 176 of 352 requests · since ${TIME}`);
  expect(harmNow(incident({ harm: { ...HARM, failed: 3 } }))).toBe(`Still slow · 176 of 352 requests · since ${TIME}`);
  expect(harmNow(incident({ activity: 'quiet' }))).toMatch(/ · 176 of 352 requests failed$/);
  for (const none of [null, { ...HARM, requests: 0, failed: 0 }]) {
    expect(harmNow(incident({ impact, harm: none }))).toBe('Still failing · 208 of 216 calls');
  }
});

it('leaves out the time on a card that would be too long for a phone', () => {
  const title = 'payments: POST /charge fails (the card network refuses)';
  const long = incident({ title, severity: 'error', root_confidence: 82, possible_roots: [] });

  expect(incidentCard({ incident: long }).text.split('\n')).toContain('Still failing · 176 of 352 requests');

  const slow = incident({
    ...long,
    title: 'catalog: requests from web are slow on the way to it',
    harm: { ...HARM, failed: 0 },
  });
  expect(incidentCard({ incident: slow }).text.split('\n')).toContain('Still slow · 176 of 352 requests');

  const over = incidentCard({ incident: { ...long, activity: 'recovered' } }).text;
  expect(over.split('\n')).toContain('Recovered · 176 of 352 requests failed');

  const sure = { root_confidence: 94, possible_roots: [], services: ['payments', 'checkout', 'orders', 'web'] };
  const { text } = incidentCard({ incident: incident({ ...sure, severity: 'error', signal_count: 16 }) });
  expect(text).toMatch(/176 of 352 requests\nRoot service `payments`, very likely \(94 %\)\n/);
});

it.each([
  ['payments: 151 of 302 requests failed in payments-1 alone in 3 min', 'failed in payments-1 alone'],
  ['payments: 1,151 of 1,302 requests failed in calls from web in 3 min', 'failed in calls from web'],
  ['payments: 400 ms longer than usual here, in 40 of 60 requests in 3 min', '400 ms longer than usual here'],
  ['payments: 151 of 302 requests failed here in 3 min', ''],
  [
    'web -> payments: 40 of 40 calls failed within a minute',
    'web -&gt; payments: 40 of 40 calls failed within a minute',
  ],
])('counts requests once, not also in the reason: %s', (reason, told) => {
  expect(reasonWords(incident({ root_reason: reason })).short).toBe(told);
});

it('has no reason that the title tells', () => {
  const title = 'payments: calls from web fail';
  const reason = 'payments: 151 of 302 requests failed in calls from web in 3 min';

  expect(reasonWords(incident({ title, root_reason: reason })).line).toBe('');
});

it('leaves the counts in the reason if the harm is not known', () => {
  const reason = 'payments: 151 of 302 requests failed here';

  expect(reasonWords(incident({ root_reason: reason, harm: null })).short).toBe('151 of 302 requests failed here');
});
