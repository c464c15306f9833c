import { describe, expect, it } from 'vitest';
import { evidence } from '../../../../test/support/evidence.ts';
import type { Evidence } from '../../core/evidence.ts';
import type { Lost } from '../../core/telemetry-item.ts';
import type { Member } from '../grouping/incident.ts';
import { describe as describeEvidence, headlineOf, impactOf, reasonsFor } from './reasons.ts';

const AT = Date.parse('2026-01-01T00:10:00Z');

describe('reasons', () => {
  it('state failed calls with their numbers', () => {
    const failing = member({ family: 'failed_calls', service: 'checkout', peer: 'payments', now: 1, count: 208 });

    expect(texts('payments', [failing])).toEqual(['checkout -> payments: 208 of 208 calls failed within a minute']);
  });

  it('state a change and its time before the first failure', () => {
    const change = (at: number) => member({ family: 'change', service: 'payments', subject: '1.8.2', at });

    expect(texts('payments', [change(AT - 180_000)])).toEqual([
      'payments 1.8.2 deployed 3 min before the first failure',
    ]);
    expect(texts('payments', [change(AT - 20_000)])).toEqual(['payments 1.8.2 deployed just before the first failure']);
  });

  it('name a failure once that several keys report, with the counts of all', () => {
    const failing = (sender: string) =>
      member({ family: 'failed_calls', service: 'checkout', peer: 'payments', now: 0.5, count: 100, sender });
    const line = (sender: string) =>
      member({ family: 'new_error_log', service: 'payments', subject: 'no route to host', sender });
    const all = ['eu', 'us', 'ap'].flatMap((sender) => [failing(sender), line(sender)]);

    expect(texts('payments', all)).toEqual([
      'payments: new error: no route to host',
      'checkout -> payments: 150 of 300 calls failed within a minute',
    ]);
    expect(impactOf(all)).toEqual([{ caller: 'checkout', callee: 'payments', failed: 150, calls: 300 }]);
  });

  it('count what people lose now, not what another key lost before', () => {
    const lost: Lost = { kind: 'error', requests: 400, total: 400, failed: 400, extraMs: 0, perMinute: 100, path: [] };
    const about = { family: 'harmed_requests', service: 'payments', significance: 9, now: 1, count: 400 } as const;
    const before = { ...member({ ...about, sender: 'eu', at: AT - 600_000, since: AT - 840_000, strength: 9, lost }) };
    const now = member({ ...about, sender: 'us', since: AT - 60_000, lost: { ...lost, requests: 7, total: 9 } });

    expect(texts('payments', [{ ...before, lastAt: AT - 600_000, seenAt: AT - 600_000 }, now])).toEqual([
      'payments: 7 of 9 requests failed here in 1 min',
    ]);
  });

  it('count what was lost since the failure began, although the key that reports it was replaced meanwhile', () => {
    const lost: Lost = { kind: 'error', requests: 120, total: 120, failed: 120, extraMs: 0, perMinute: 0, path: [] };
    const about = { family: 'harmed_requests', service: 'payments', significance: 9, now: 1, count: 120 } as const;
    const replacedAt = AT - 180_000;
    const before = member({ ...about, sender: 'old', at: replacedAt, since: AT - 300_000, lost });
    const now = member({ ...about, sender: 'new', since: replacedAt, lost: { ...lost, requests: 180, total: 180 } });

    expect(texts('payments', [{ ...before, lastAt: replacedAt, seenAt: replacedAt }, now])).toEqual([
      'payments: 300 of 300 requests failed here in 5 min',
    ]);
  });

  it('begin with the strongest evidence', () => {
    const weak = member({
      family: 'self_time',
      service: 'payments',
      subject: 'POST /charge',
      strength: 0.2,
      now: 300,
      usual: 20,
    });
    const strong = member({ family: 'new_error_log', service: 'payments', subject: 'no route to host' });

    expect(texts('payments', [weak, strong])).toEqual([
      'payments: new error: no route to host',
      'payments: POST /charge takes 300 ms by itself, usually 20 ms',
    ]);
  });

  it('show durations of metrics with their unit', () => {
    const slow = { family: 'latency_metric', service: 'payments', subject: 'http.server.request.duration' } as const;

    expect(texts('payments', [member({ ...slow, now: 1.2, usual: 0.00032 })])).toEqual([
      'payments: http.server.request.duration is 1200 ms, usually 0.32 ms',
    ]);
  });

  it('call a value that is usually zero so', () => {
    const backlog = {
      family: 'resource',
      service: 'mail',
      subject: 'queue.messages',
      now: 182,
      usual: 0.0001,
    } as const;

    expect(texts('mail', [member(backlog)])).toEqual(['mail: queue.messages is 182, usually 0']);
  });

  it('leave out evidence about other services', () => {
    expect(texts('payments', [member({ family: 'error_log', service: 'web' })])).toEqual([]);
  });
});

describe('the headline', () => {
  const lost = { kind: 'silent', requests: 40, total: 60, failed: 40, extraMs: 0, perMinute: 9, path: [] } as const;
  const harmed = (of: Partial<Lost>, peer: string | null = 'web') =>
    member({ family: 'harmed_requests', service: 'bank', subject: 'POST /pay', peer, lost: { ...lost, ...of } })
      .evidence;

  it('claims no more than is known, and has no number that grows', () => {
    expect(headlineOf(harmed({}))).toBe('calls from web fail');
    expect(headlineOf(harmed({}, null))).toBe('calls to it fail');
    expect(headlineOf(harmed({ failed: 3 }))).toBe('calls from web are slow');
    expect(headlineOf(harmed({ kind: 'way' }))).toBe('its answers do not reach web');
    expect(headlineOf(harmed({ kind: 'way', failed: 3 }))).toBe('requests from web are slow on the way to it');
    expect(headlineOf(harmed({ kind: 'self', failed: 3 }))).toBe('POST /pay is slow');
    expect(headlineOf(harmed({ kind: 'self' }))).toBe('POST /pay fails');
  });

  it('is explained with numbers in the reasons', () => {
    const { evidence } = member({ ...harmed({}), since: AT - 180_000 });

    expect(describeEvidence(evidence)).toBe('40 of 60 requests failed in calls from web in 3 min');
  });

  it('tells how much longer the calls to a place without spans take', () => {
    const { evidence } = member({ ...harmed({ failed: 0, extraMs: 3_958 }), since: AT - 60_000 });

    expect(describeEvidence(evidence)).toBe(
      '3958 ms longer than usual in calls from web, in 40 of 60 requests in 1 min',
    );
  });

  it('names the calls that are lost, if a service explains what another place lost', () => {
    const ofCaller = harmed({ kind: 'way', lostAt: 'orders', failed: 0, extraMs: 900 }, null);

    expect(headlineOf(ofCaller)).toBe('its calls to orders are slow');
    expect(describeEvidence(ofCaller)).toBe('900 ms longer than usual in its calls to orders, in 40 of 60 requests');
    expect(headlineOf(harmed({ lostAt: 'orders' }, null))).toBe('its calls to orders fail');
    expect(headlineOf(harmed({ kind: 'error', lostAt: 'web' }, null))).toBe('calls from web fail');
  });

  it('has no masks', () => {
    const slow = harmed({ kind: 'self', failed: 0 });

    expect(headlineOf({ ...slow, subject: 'SELECT to orders-pg:<n>' })).toBe('SELECT to orders-pg is slow');
    expect(headlineOf({ ...slow, subject: 'GET /orders/<n>' })).toBe('GET /orders/… is slow');
  });
});

describe('the impact', () => {
  it('is the calls that fail, the most failures first', () => {
    const some = member({ family: 'failed_calls', service: 'web', peer: 'checkout', now: 0.5, count: 100 });
    const most = member({ family: 'failed_calls', service: 'checkout', peer: 'payments', now: 1, count: 80 });

    expect(impactOf([some, most])).toEqual([
      { caller: 'checkout', callee: 'payments', failed: 80, calls: 80 },
      { caller: 'web', callee: 'checkout', failed: 50, calls: 100 },
    ]);
  });
});

function texts(root: string, members: readonly Member[]): string[] {
  return reasonsFor(root, members).map(({ text }) => text);
}

function member(given: Partial<Evidence>): Member {
  const about = { origin: 'trace', service: 'web', subject: '', at: AT, count: 1 } as const;
  const full = evidence({ fingerprint: JSON.stringify(given), ...about, ...given });
  return { evidence: full, firstAt: AT, lastAt: AT, seenAt: AT, times: 1, isCounted: true, teaches: null };
}
