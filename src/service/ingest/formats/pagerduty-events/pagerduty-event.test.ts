import { expect, it } from 'vitest';
import { dedupKeyOf, PagerDutyEvent, readPagerDutyEvent } from './pagerduty-event.ts';
import { PagerDutyV1Event, toVersion2 } from './pagerduty-v1.ts';

const now = new Date('2026-01-31T08:00:00.000Z');

/** The example from PagerDuty's documentation. */
const EXAMPLE = {
  payload: {
    summary: 'Example alert on host1.example.com',
    timestamp: '2015-07-17T08:42:58.315+0000',
    source: 'monitoringtool:cloudvendor:central-region-dc-01:852559987:cluster/api-stats-prod-003',
    severity: 'info',
    component: 'postgres',
    group: 'prod-datapipe',
    class: 'deploy',
    custom_details: { 'ping time': '1500ms', 'load avg': 0.75 },
  },
  routing_key: 'samplekeyhere',
  dedup_key: 'samplekeyhere',
  images: [{ src: 'https://www.pagerduty.com/wp-content/uploads/2016/05/pagerduty-logo-green.png' }],
  links: [{ href: 'https://example.com/', text: 'Link text' }],
  event_action: 'trigger',
  client: 'Sample Monitoring Service',
  client_url: 'https://monitoring.example.com',
};

function trigger(payload: Record<string, unknown>, fields: Record<string, unknown> = {}): PagerDutyEvent {
  return PagerDutyEvent.parse({ event_action: 'trigger', payload: { summary: 'it fails', ...payload }, ...fields });
}

const signalOf = (event: PagerDutyEvent) => readPagerDutyEvent(event, 'int_1', now).signals[0];

it('creates a signal from a trigger', () => {
  expect(signalOf(PagerDutyEvent.parse(EXAMPLE))).toMatchObject({
    type: 'metric',
    service: 'postgres',
    summary: 'Example alert on host1.example.com',
    severity: 'info',
    observedAt: new Date('2015-07-17T08:42:58.315Z'),
    attributes: { 'ping time': '1500ms', 'load avg': 0.75, component: 'postgres', class: 'deploy' },
    source: { format: 'pagerduty_events', client: 'Sample Monitoring Service' },
  });
});

it('ends the signal of the same key and sender on resolve, and nothing on acknowledge', () => {
  const read = (event: unknown, sender: string) => readPagerDutyEvent(PagerDutyEvent.parse(event), sender, now);
  const resolve = { event_action: 'resolve', dedup_key: 'samplekeyhere' };

  const fingerprint = read(EXAMPLE, 'int_1').signals[0]?.fingerprint;
  expect(read(resolve, 'int_1')).toEqual({ signals: [], ends: [{ fingerprint, endedAt: now }] });
  expect(read(resolve, 'int_2').ends?.[0]?.fingerprint).not.toBe(fingerprint);
  expect(read({ ...resolve, event_action: 'acknowledge' }, 'int_1')).toEqual({ signals: [] });
});

it('folds triggers without a key whose content differs only in numbers', () => {
  const key = (summary: string, source = 'host1') => dedupKeyOf(trigger({ summary, source }));

  expect(key('disk 91 % full')).toBe(key('disk 95 % full'));
  expect(key('disk 91 % full')).not.toBe(key('disk 91 % full', 'host2'));
  expect(key('disk 91 % full')).not.toBe(key('memory 91 % full'));
  expect(dedupKeyOf(trigger({}, { dedup_key: 'mine' }))).toBe('mine');
});

/** Yelp/elastalert, `tests/alerts_test.py`, both versions of the API, read on 2026-11-25. */
it('takes the empty key of a trigger for none, as ElastAlert sends it', () => {
  const keyless = trigger({ summary: 'down', source: 'host1' });
  const version1 = (fields: object) =>
    toVersion2(PagerDutyV1Event.parse({ event_type: 'trigger', description: 'down', ...fields }));

  expect(dedupKeyOf(trigger({ summary: 'down', source: 'host1' }, { dedup_key: '' }))).toBe(dedupKeyOf(keyless));
  expect(dedupKeyOf(version1({ incident_key: '' }))).toBe(dedupKeyOf(version1({})));
});

it.each([
  [{ custom_details: { service: 'checkout' }, component: 'nginx' }, 'checkout'],
  [{ component: ' ', group: 'shop', source: 'host1' }, 'shop'],
  [{ component: null, source: 'host1' }, 'host1'],
  [{ custom_details: 'it is broken' }, 'it fails'],
  [{ custom_details: { HOSTNAME: 'db-1', SERVICEDESC: 'Disk' } }, 'db-1'],
])('takes the service from %j', (payload, service) => {
  expect(signalOf(trigger(payload))?.service).toBe(service);
});

it('replaces an invalid or future time by now, and an unknown severity by error', () => {
  expect(signalOf(trigger({ timestamp: 'yesterday', severity: 'P1' }))).toMatchObject({
    observedAt: now,
    severity: 'error',
  });
  expect(signalOf(trigger({ timestamp: '2026-01-31T09:00:00Z', severity: 'constructor' }))).toMatchObject({
    observedAt: now,
    severity: 'error',
  });
});

it.each([
  {},
  { event_action: 'trigger' },
  { event_action: 'trigger', payload: { summary: ' ' } },
  { event_action: 'resolve' },
  { event_action: 'resolve', dedup_key: '' },
  { event_action: 'resolve', dedup_key: 'x'.repeat(256) },
  { event_action: 'close', dedup_key: 'x' },
])('refuses %j', (event) => {
  expect(PagerDutyEvent.safeParse(event).success).toBe(false);
});
