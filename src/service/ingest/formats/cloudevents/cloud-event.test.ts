import { expect, it } from 'vitest';
import { CloudEvent, readCloudEvents } from './cloud-event.ts';

const now = new Date('2026-01-31T08:00:00.000Z');

/** The example from the JSON event format, with an object as data. */
const EXAMPLE = {
  specversion: '1.0',
  type: 'com.example.someevent',
  source: '/mycontext',
  subject: null,
  id: 'C234-1234-1234',
  time: '2018-04-05T17:31:00Z',
  comexampleextension1: 'value',
  comexampleothervalue: 5,
  datacontenttype: 'application/json',
  data: { appinfoA: 'abc', appinfoB: 123, appinfoC: true },
};

const read = (fields: Record<string, unknown>) =>
  readCloudEvents([CloudEvent.parse({ ...EXAMPLE, ...fields })], now).signals[0];

it('creates a signal from an event', () => {
  expect(read({})).toMatchObject({
    type: 'metric',
    service: '/mycontext',
    summary: 'com.example.someevent',
    severity: 'error',
    observedAt: new Date('2018-04-05T17:31:00Z'),
    attributes: { 'cloudevents.event_id': 'C234-1234-1234', appinfoA: 'abc', appinfoB: 123, appinfoC: true },
    source: { format: 'cloudevents' },
  });
  const { data: _data, time: _time, ...least } = EXAMPLE;
  expect(readCloudEvents([CloudEvent.parse(least)], now).signals).toMatchObject([{ observedAt: now }]);
});

it('folds events with the same type, source and subject', () => {
  const fingerprint = read({ subject: 'disk-1' })?.fingerprint;

  expect(read({ subject: 'disk-1', id: 'other', data: 1 })?.fingerprint).toBe(fingerprint);
  for (const other of [{ subject: 'disk-2' }, { subject: 'disk-1', source: '/x' }, { subject: 'disk-1', type: 'x' }]) {
    expect(read(other)?.fingerprint).not.toBe(fingerprint);
  }
});

it.each([
  [{ service: 'checkout', data: { service: 'x' } }, 'checkout'],
  [{ data: { service: 'checkout' } }, 'checkout'],
  [{ data: { service: 7 } }, '/mycontext'],
])('takes the service from %j', (fields, service) => {
  expect(read(fields)?.service).toBe(service);
});

it.each([
  [{ subject: 'disk-1' }, 'com.example.someevent: disk-1'],
  [{ subject: 'disk-1', data: { message: 'it is full' } }, 'com.example.someevent: it is full'],
  [{ data: { summary: 'full\nvery full', message: 'x' } }, 'com.example.someevent: full'],
  [{ data: 'the disk is full' }, 'com.example.someevent: the disk is full'],
])('takes the summary from %j', (fields, summary) => {
  expect(read(fields)?.summary).toBe(summary);
});

it.each([
  [{ severitynumber: 21 }, 'critical'],
  [{ severitynumber: '17', severitytext: 'FATAL' }, 'error'],
  [{ severitynumber: 13 }, 'warning'],
  [{ severitynumber: 9 }, 'info'],
  [{ severitytext: 'WARN' }, 'warning'],
  [{ data: { severity: 'critical' } }, 'critical'],
  [{ data: { severity: 3 } }, 'error'],
])('takes the severity from %j', (fields, severity) => {
  expect(read(fields)?.severity).toBe(severity);
});

it.each([['text'], [[1, 2]], [null]])('keeps %j as data', (data) => {
  expect(read({ data })?.attributes.data ?? null).toEqual(data);
});
