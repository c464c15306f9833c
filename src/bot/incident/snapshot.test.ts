import { describe, expect, it } from 'vitest';
import type { Correlation, Incident } from '../../contract/resources.ts';
import { freshFields, isSameSnapshot, lacksDetails, mergeSnapshot } from './snapshot.ts';

const AT = '2026-01-31T08:00:00.000Z';

function incident(fields: Partial<Incident> = {}): Incident {
  return {
    id: 'inc_1',
    status: 'open',
    signal_count: 3,
    root_service: 'payments',
    opened_at: AT,
    activity: 'failing',
    ...fields,
  };
}

function correlation(confidence: number, ...services: readonly string[]): Correlation {
  return {
    method: 'm',
    confidence,
    services: [],
    edges: [],
    window: { from: AT, to: AT },
    evidence: [],
    candidates: services.map((service) => ({ service, score: 0.5, reasons: [] })),
  };
}

describe('the possible roots', () => {
  it('are the two likeliest services below a confidence of 0.25, and none above', () => {
    const unsure = mergeSnapshot(null, incident({ correlation: correlation(0.24, 'payments', 'inventory', 'web') }));
    const sure = mergeSnapshot(unsure, incident({ correlation: correlation(0.25, 'payments', 'inventory') }));

    expect([unsure.possible_roots, sure.possible_roots]).toEqual([['payments', 'inventory'], []]);
    expect(Object.keys(unsure)).not.toContain('correlation');
  });

  it('stay until another service fails or is taken for the root', () => {
    const before = mergeSnapshot(
      null,
      incident({ services: ['payments', 'web'], correlation: correlation(0.1, 'payments', 'web') }),
    );
    const merged = (fields: Partial<Incident>) => mergeSnapshot(before, incident(fields)).possible_roots;

    expect(merged({ services: ['web', 'payments'], signal_count: 9 })).toEqual(['payments', 'web']);
    expect(merged({})).toEqual(['payments', 'web']);
    expect(merged({ root_service: 'web' })).toBeUndefined();
    expect(merged({ services: ['payments', 'web', 'ledger'] })).toBeUndefined();
  });
});

it('asks for details that are missing or unsure, only of services that have them and while the incident is open', () => {
  const read = (confidence: number) =>
    mergeSnapshot(null, incident({ correlation: correlation(confidence, 'a', 'b') }));

  expect([incident(), read(0.1)].map(lacksDetails)).toEqual([true, true]);
  expect([read(0.9), incident({ status: 'closed' })].map(lacksDetails)).toEqual([false, false]);
  expect(lacksDetails({ ...incident(), activity: undefined })).toBe(false);
});

it('keeps the similar incidents that a person closed with a note, and not all of a long note', () => {
  const fix = (id: string, resolution_note: string | null, resolved_by: string | null) => ({
    id,
    closed_at: AT,
    resolution_note,
    resolved_by,
  });
  const similar = [
    fix('merged', 'Part of #3: inventory.', null),
    fix('silent', ' ', 'ana'),
    fix('long', 'x'.repeat(900), 'ana'),
    ...['b', 'c', 'd'].map((id) => fix(id, 'rolled back', 'ana')),
  ];

  const kept = mergeSnapshot(null, incident({ similar })).similar;

  expect(kept?.map(({ id }) => id)).toEqual(['long', 'b', 'c']);
  expect(kept?.[0]?.resolution_note).toHaveLength(200);
});

it('takes over at most once a minute when a failure was last seen', () => {
  const seen = (seconds: number, fields: Partial<Incident> = {}) =>
    incident({ last_seen_at: new Date(Date.parse(AT) + seconds * 1_000).toISOString(), ...LONG_OPEN, ...fields });
  const before = mergeSnapshot(null, seen(0));
  const isSame = (after: Incident) => isSameSnapshot(before, mergeSnapshot(before, after));

  expect([seen(59), seen(60), seen(-1)].map(isSame)).toEqual([true, false, false]);
  expect(isSame(seen(1, { activity: 'recovered' }))).toBe(false);
});

it('takes over what an incident lost each quarter of its first minute', () => {
  const seen = (seconds: number) =>
    incident({ last_seen_at: new Date(Date.parse(AT) + seconds * 1_000).toISOString() });
  const isTaken = (from: number, to: number) => {
    const before = mergeSnapshot(null, seen(from));
    return !isSameSnapshot(before, mergeSnapshot(before, seen(to)));
  };

  expect([isTaken(0, 14), isTaken(0, 15), isTaken(45, 60), isTaken(60, 75)]).toEqual([false, true, true, false]);
});

/** Open for an hour at `AT`. */
const LONG_OPEN = { opened_at: new Date(Date.parse(AT) - 3_600_000).toISOString() };

describe('the rate', () => {
  const rate = (minutes: number, ...counts: number[]) => ({
    failures_per_minute: { from: new Date(Date.parse(AT) + minutes * 60_000).toISOString(), counts },
  });

  it('is taken over with the time at which the failure was last seen, so that it makes no edit of its own', () => {
    const before = mergeSnapshot(null, incident({ ...LONG_OPEN, last_seen_at: AT, ...rate(0, 1, 2) }));
    const later = (seconds: number) => new Date(Date.parse(AT) + seconds * 1_000).toISOString();
    const seenAfter = (seconds: number) =>
      mergeSnapshot(before, incident({ ...LONG_OPEN, last_seen_at: later(seconds), ...rate(1, 2, 9) }));

    expect(isSameSnapshot(before, seenAfter(0))).toBe(true);
    expect(isSameSnapshot(before, seenAfter(59))).toBe(true);
    expect(seenAfter(60).failures_per_minute?.counts).toEqual([2, 9]);
  });

  it('brings the harm along, which is taken over at once if none was known', () => {
    const harm = (requests: number) => ({ harm: { requests, total: 900, failed: requests, since: AT, per_minute: 9 } });
    const before = mergeSnapshot(null, incident({ ...LONG_OPEN, last_seen_at: AT, harm: null }));
    const known = mergeSnapshot(before, incident({ ...LONG_OPEN, last_seen_at: AT, ...harm(1) }));
    const seenAfter = (seconds: number) =>
      mergeSnapshot(
        known,
        incident({ ...LONG_OPEN, last_seen_at: new Date(Date.parse(AT) + seconds * 1_000).toISOString(), ...harm(2) }),
      );

    expect([known, seenAfter(59), seenAfter(60)].map((snapshot) => snapshot.harm?.requests)).toEqual([1, 1, 2]);
  });

  it('is shown as it is now to somebody who asks', () => {
    const before = mergeSnapshot(null, incident({ last_seen_at: AT, ...rate(0, 1, 2) }));
    const read = incident({ last_seen_at: new Date(Date.parse(AT) + 9_000).toISOString(), ...rate(0, 1, 9) });

    expect({ ...mergeSnapshot(before, read), ...freshFields(read) }).toMatchObject({
      last_seen_at: read.last_seen_at,
      failures_per_minute: read.failures_per_minute,
    });
    expect({ ...before, ...freshFields(incident()) }).toEqual(before);
  });

  it('is taken over once a minute if the service does not say when the failure was last seen', () => {
    const before = mergeSnapshot(null, incident(rate(0, 1, 2)));

    expect(mergeSnapshot(before, incident(rate(0, 1, 7))).failures_per_minute?.counts).toEqual([1, 2]);
    expect(mergeSnapshot(before, incident(rate(1, 7, 1))).failures_per_minute?.counts).toEqual([7, 1]);
  });
});

it('keeps the first trace, because one is as good as another', () => {
  const before = mergeSnapshot(null, incident({ trace_id: 'one' }));

  expect(mergeSnapshot(before, incident({ trace_id: 'two' })).trace_id).toBe('one');
  expect(mergeSnapshot(mergeSnapshot(null, incident({ trace_id: null })), incident({ trace_id: 'two' })).trace_id).toBe(
    'two',
  );
});

it('keeps the confidence and reason of the root until other services fail, and asks again after a new failure', () => {
  const read = incident({
    last_seen_at: AT,
    correlation: { ...correlation(0.674, 'payments'), evidence: ['because'] },
  });
  const before = mergeSnapshot(null, read);
  const later = new Date(Date.parse(AT) + 60_000).toISOString();

  expect(before).toMatchObject({ root_confidence: 67, root_reason: 'because' });
  expect(mergeSnapshot(before, incident({ root_service: 'web' })).root_confidence).toBeUndefined();
  expect(lacksDetails(before)).toBe(false);
  expect(lacksDetails(mergeSnapshot(before, incident({ last_seen_at: later })))).toBe(true);
});
