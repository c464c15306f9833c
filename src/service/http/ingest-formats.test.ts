import { describe, expect, it } from 'vitest';
import { alertNotification } from '../../../test/support/alert-notification.ts';
import { finish } from '../../../test/support/finish.ts';
import { MAX_ALERTS } from '../ingest/formats/alertmanager/alertmanager.ts';
import { MAX_EVENTS } from '../ingest/formats/generic/generic-event.ts';
import { INGEST_LIMITS, RequestTooLargeError } from '../ingest/limits.ts';
import { INGEST_FORMATS } from './ingest-formats.ts';
import { RequestError } from './problem.ts';

/** Decodes the text. @returns the number of signals */
function decode(format: keyof typeof INGEST_FORMATS, body: unknown, type = 'application/json'): number {
  const headers = new Headers({ 'content-type': type });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return finish(INGEST_FORMATS[format].decode(headers, new Date())(Buffer.from(text))).signals.length;
}

/** The error of decoding. */
function refusal(format: keyof typeof INGEST_FORMATS, body: unknown, type?: string): unknown {
  try {
    return `${decode(format, body, type)} signals`;
  } catch (error) {
    return error;
  }
}

function many<Value>(count: number, value: Value): Value[] {
  return Array.from({ length: count }, () => value);
}

describe('the number of events in a request', () => {
  const [alert] = alertNotification().alerts;
  const cloudEvent = { specversion: '1.0', type: 'disk.full', source: '/hosts/a', id: '1' };
  const event = { service: 'backup', summary: 'it failed' };
  const batch = 'application/cloudevents-batch+json';

  it.each([
    ['alertmanager', (count: number) => ({ version: '4', alerts: many(count, alert) }), MAX_ALERTS, undefined],
    ['grafana', (count: number) => ({ version: '1', alerts: many(count, alert) }), MAX_ALERTS, undefined],
    ['cloudevents', (count: number) => many(count, cloudEvent), MAX_EVENTS, batch],
    ['generic', (count: number) => many(count, event), MAX_EVENTS, undefined],
  ] as const)('is limited: %s', (format, create, max, type) => {
    expect(decode(format, create(max), type)).toBe(max);
    expect(refusal(format, create(max + 1), type)).toMatchObject({
      code: 'invalid-body',
      errors: [{ detail: expect.stringMatching(/must have at most/) }],
    });
  });

  it('is counted before the events are checked', () => {
    expect(refusal('generic', many(MAX_EVENTS + 1, {}))).toMatchObject({ errors: [{ pointer: '' }] });
  });
});

it('limits the number of values in a body', () => {
  const values = (count: number) => ({ version: '4', alerts: [], unknown: many(count - 5, 1) }); // brackets and commas

  expect(decode('alertmanager', values(INGEST_LIMITS.jsonValues))).toBe(0);
  expect(refusal('alertmanager', values(INGEST_LIMITS.jsonValues + 1))).toBeInstanceOf(RequestTooLargeError);
});

it('limits the depth of a body', () => {
  const nested = (levels: number) =>
    `{"service":"a","summary":"b","attributes":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  const tooDeep = { code: 'invalid-json', message: expect.stringContaining('nested deeper than 160 levels') };

  expect(refusal('generic', nested(INGEST_LIMITS.jsonDepth))).toMatchObject({ code: 'invalid-body' }); // not an object
  expect(refusal('generic', nested(INGEST_LIMITS.jsonDepth + 1))).toMatchObject(tooDeep);
});

it('reports a limited number of errors', () => {
  const error = refusal('generic', many(MAX_EVENTS, {}));

  expect(error).toBeInstanceOf(RequestError);
  expect(error).toMatchObject({ errors: { length: 20 } });
});

it.each([
  ['{"service":', 'ends early'],
  ['{} {}', 'after the end'],
  ['{"service":"\xff"}', 'not UTF-8'],
])('refuses %s as invalid JSON', (text, detail) => {
  const headers = new Headers({ 'content-type': 'application/json' });
  const decoding = INGEST_FORMATS.generic.decode(headers, new Date())(Buffer.from(text, 'latin1'));

  expect(() => finish(decoding)).toThrow(detail);
});
