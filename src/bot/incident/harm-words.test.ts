import { expect, it } from 'vitest';
import { AT, SHOWN } from '../../../test/support/card-lines.ts';
import { harmNow, rootLine } from './incident-words.ts';
import type { Snapshot } from './snapshot.ts';

const TIME = '<!date^1769847240^{date_short_pretty} {time}|2026-01-31 08:14 UTC>';
const HARM = { requests: 176, total: 352, failed: 176, since: AT, per_minute: 60 };

function incident(fields: Partial<Snapshot>): Snapshot {
  return { ...SHOWN, activity: 'failing', activity_since: AT, harm: HARM, ...fields };
}

it('shows lost requests rather than calls, failed and slow apart, and since when', () => {
  const impact = [{ from: 'checkout', to: 'payments', calls: 216, failed: 208 }];

  expect(harmNow(incident({ impact }))).toBe(`Still failing · 176 of 352 requests failed · since ${TIME}`);
  expect(harmNow(incident({ harm: { ...HARM, failed: 170 } }))).toContain('170 of 352 requests failed, 6 slow');
  expect(harmNow(incident({ harm: { ...HARM, failed: 3 } }))).toBe(
    `Still slow · 3 of 352 requests failed, 173 slow · since ${TIME}`,
  );
  expect(harmNow(incident({ activity: 'quiet' }))).toBe(`Quiet since ${TIME} · 176 of 352 requests failed`);
  for (const none of [null, { ...HARM, requests: 0, failed: 0 }]) {
    expect(harmNow(incident({ impact, harm: none }))).toBe('Still failing · 208 of 216 calls failed');
  }
});

const ROOT = 'Root service `payments`';

it.each([
  ['payments: 151 of 302 requests failed in payments-1 alone in 3 min', `${ROOT}: failed in payments-1 alone`],
  ['payments: 1,151 of 1,302 requests failed in calls from web in 3 min', `${ROOT}: failed in calls from web`],
  ['payments: 400 ms longer than usual here, in 40 of 60 requests in 3 min', `${ROOT}: 400 ms longer than usual here`],
  ['payments: 151 of 302 requests failed here in 3 min', ''],
  [
    'web -> payments: 40 of 40 calls failed within a minute',
    `${ROOT}: web -&gt; payments: 40 of 40 calls failed within a minute`,
  ],
])('counts requests once, not also in the cause: %s', (reason, told) => {
  expect(rootLine(incident({ root_reason: reason }))).toBe(told);
});

it('has no cause that the title tells', () => {
  const title = 'payments: calls from web fail';
  const reason = 'payments: 151 of 302 requests failed in calls from web in 3 min';

  expect(rootLine(incident({ title, root_reason: reason }))).toBe('');
});

it('leaves the counts in the cause if the harm is not known', () => {
  const reason = 'payments: 151 of 302 requests failed here';

  expect(rootLine(incident({ root_reason: reason, harm: null }))).toBe(`${ROOT}: 151 of 302 requests failed here`);
});
