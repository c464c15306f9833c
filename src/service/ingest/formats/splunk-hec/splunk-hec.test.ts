import { describe, expect, it } from 'vitest';
import { AT, decodePush, json, linesOf, NOW } from '../../../../../test/support/push-decode.ts';
import { SPLUNK_HEC } from './splunk-hec.ts';

describe("Splunk's HTTP Event Collector", () => {
  it('is read as events, one behind the other', () => {
    const time = Date.parse(AT) / 1_000;
    const events = [
      { time, host: 'node-1', source: 'x', event: 'ERROR no card', fields: { app: 'shop' } },
      { time: `${time}.000`, event: { level: 'error', service: 'fares', msg: 'empty' } },
      { time, event: { line: 'ERROR no seat', source: 'stderr', tag: 'seats', attrs: {} } },
      { time, host: 'node-1', event: 'ERROR on the host' },
    ];

    expect(linesOf(decodePush('splunk_hec', events.map(json).join('')))).toEqual([
      ['shop', 'error', 'ERROR no card', AT],
      ['fares', 'error', 'empty', AT],
      ['seats', 'error', 'ERROR no seat', AT],
      ['node-1', 'error', 'ERROR on the host', AT],
    ]);
  });

  it('is read as raw lines', () => {
    const body = 'level=error app=shop msg="no card"\n\nlevel=error app=pay msg=no\n';

    expect(linesOf(decodePush('splunk_hec', body, { path: '/services/collector/raw' }))).toMatchObject([
      ['shop', 'error', 'no card', NOW.toISOString()],
      ['pay', 'error', 'no', NOW.toISOString()],
    ]);
  });

  it('rejects metrics', () => {
    expect(decodePush('splunk_hec', json({ event: 'metric', fields: { 'metric_name:x': 1 } }))).toMatchObject({
      rejected: 1,
    });
  });
});

describe('the set-up text of the HTTP Event Collector', () => {
  const textOf = (url: string) =>
    SPLUNK_HEC.setUp({ publicUrl: '', url, key: 'KEY' })
      .map(({ text }) => text)
      .join('\n');

  it('gives host and port to senders that append the path themselves', () => {
    expect(textOf('https://tocsin.example.com/services/collector')).toContain(
      '"splunk-url": "https://tocsin.example.com"',
    );
  });

  it('does not promise them a path, which they cannot send to', () => {
    const text = textOf('https://example.com/tocsin/services/collector');

    expect(text).not.toMatch(/splunk-url|\[OUTPUT\]/);
    expect(text).toContain('https://example.com/services/collector');
    expect(text).toContain('curl -X POST https://example.com/tocsin/services/collector');
  });
});
