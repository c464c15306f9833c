import { expect, it } from 'vitest';
import { GenericEvent, readGenericEvents } from './generic-event.ts';

const now = new Date('2026-01-31T08:00:00.000Z');

const read = (fields: Record<string, unknown>) =>
  readGenericEvents([GenericEvent.parse({ service: 'backup', summary: 'disk 91 % full', ...fields })], now).signals[0];

it('creates a signal from an event with the required fields only', () => {
  expect(read({})).toMatchObject({
    type: 'metric',
    service: 'backup',
    summary: 'disk 91 % full',
    severity: 'error',
    observedAt: now,
    attributes: {},
    source: { format: 'generic' },
    detail: { type: 'alert', reportsEnd: false },
  });
});

it('uses the optional fields', () => {
  const observed_at = '2026-01-31T09:30:00+02:00';

  expect(read({ type: 'log', severity: 'critical', observed_at, attributes: { host: 'a' } })).toMatchObject({
    type: 'log',
    severity: 'critical',
    observedAt: new Date('2026-01-31T07:30:00Z'),
    attributes: { host: 'a' },
    detail: { type: 'log', body: 'disk 91 % full' },
  });
});

it('folds events of a service with the same key, or with summaries that differ only in numbers', () => {
  const fingerprint = (fields: Record<string, unknown>) => read(fields)?.fingerprint;

  expect(fingerprint({})).toBe(fingerprint({ summary: 'disk 95 % full' }));
  expect(fingerprint({})).not.toBe(fingerprint({ service: 'mail' }));
  expect(fingerprint({})).not.toBe(fingerprint({ type: 'log' }));
  expect(fingerprint({ dedup_key: 'a' })).toBe(fingerprint({ dedup_key: 'a', summary: 'other' }));
  expect(fingerprint({ dedup_key: 'a' })).not.toBe(fingerprint({ dedup_key: 'b' }));
});

it.each([
  ['resolved', 'ends'],
  ['OK', 'ends'],
  ['behoben', 'ends'],
  ['firing', 'fails'],
  ['acknowledged', 'fails'],
  ['wombat', 'fails'],
  ['test', 'is nothing'],
])('says by its status %s that a failure %s', (status, meaning) => {
  const event = { service: 'backup', summary: 'the nightly backup', dedup_key: 'nightly', status };

  const { signals, ends } = readGenericEvents([GenericEvent.parse(event)], now);

  expect(signals.map(({ detail }) => detail)).toMatchObject(
    meaning === 'fails' ? [{ type: 'alert', reportsEnd: true }] : [],
  );
  expect(ends).toEqual(
    meaning === 'ends' ? [{ fingerprint: read({ dedup_key: 'nightly' })?.fingerprint, endedAt: now }] : [],
  );
});

it.each([
  [['resolved', 'firing'], []],
  [['firing', 'resolved'], ['nightly']],
])('lets the last of several events about the same failure say whether it is over: %j', (statuses, ended) => {
  const events = statuses.map((status) =>
    GenericEvent.parse({ service: 'backup', summary: 'the nightly backup', dedup_key: 'nightly', status }),
  );

  const { signals, ends = [] } = readGenericEvents(events, now);

  expect(signals).toHaveLength(1);
  expect(ends.map(({ fingerprint }) => fingerprint)).toEqual(
    ended.map((dedup_key) => read({ dedup_key })?.fingerprint),
  );
});

it('has no status as a line or a deployment', () => {
  const events = ['log', 'deploy'].map((type) =>
    GenericEvent.parse({ service: 'backup', summary: '1.8.2', type, status: 'resolved' }),
  );

  expect(readGenericEvents(events, now)).toMatchObject({
    signals: [{ type: 'log' }],
    ends: [],
    telemetry: [{ kind: 'log' }, { kind: 'change' }],
  });
});
