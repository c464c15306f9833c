import { describe, expect, it } from 'vitest';
import { datadogDefault } from './datadog.samples.ts';
import { DatadogEvent, readDatadogEvent } from './datadog.ts';

function read(sent: object) {
  return readDatadogEvent(DatadogEvent.parse(sent), new Date('2026-01-31T09:00:00Z'));
}

function ofDefault(title: string, body = '') {
  return read({ ...datadogDefault(title), body });
}

describe('the default payload of Datadog', () => {
  it('says by its title what fires and what recovered', () => {
    const fired = ofDefault('[Triggered on {host:a}] Disk is full');
    const over = ofDefault('[Recovered on {host:a}] Disk is full');

    expect(fired.signals).toMatchObject([{ summary: 'Disk is full' }]);
    expect(over.ends).toMatchObject([{ fingerprint: fired.signals[0]?.fingerprint }]);
  });

  it('keeps the groups of a monitor apart, each with its own end', () => {
    const first = ofDefault('[P2] [Triggered on {host:web-01}] CPU is high').signals[0];
    const second = ofDefault('[P2] [Triggered on {host:web-02}] CPU is high').signals[0];
    const over = ofDefault('[P2] [Recovered on {host:web-01}] CPU is high').ends;

    expect([first?.service, second?.service]).toEqual(['web-01', 'web-02']);
    expect(over?.map(({ fingerprint }) => fingerprint)).toEqual([first?.fingerprint]);
    expect(second?.fingerprint).not.toBe(first?.fingerprint);
  });

  it('names service, environment and severity in its title', () => {
    const { signals } = ofDefault('[P1] [Re-Triggered on {service:billing,env:prod}] Latency is high');

    expect(signals).toMatchObject([
      { service: 'billing', severity: 'critical', attributes: { env: 'prod' }, summary: 'Latency is high' },
    ]);
  });

  it.each(['Renotify', 'Warn', 'No data', 'Re-No data'])('is read with %s', (transition) => {
    expect(ofDefault(`[${transition} on {host:a}] Disk is full`).signals).toMatchObject([{ summary: 'Disk is full' }]);
  });

  it('names the monitor as the service where nothing else does', () => {
    const services = ['[Triggered] [TEST] Host Cluster Alert', '[Triggered] Queue is long'].flatMap((title) =>
      ofDefault(title).signals.map(({ service }) => service),
    );

    expect(services).toEqual(['[TEST] Host Cluster Alert', 'Queue is long']);
  });

  it('links the page that its text names', () => {
    const { signals } = ofDefault(
      '[Triggered] x',
      '%%%\n[[Monitor Status](https://app.datadoghq.com/monitors#18)]\n%%%',
    );

    expect(signals[0]?.links).toEqual([{ kind: 'generator', url: 'https://app.datadoghq.com/monitors#18' }]);
  });
});

/**
 * Payloads that other products ask for, so that a webhook can be sent here by changing its address: ilert and Spike
 * (docs.datadoghq.com, "ilert"; docs.spike.sh, "Datadog", both read on 2026-11-26).
 */
describe('a payload that was made for another product', () => {
  const ilert = (transition: string) => ({
    ...datadogDefault('[P2] CPU is high on {host:a}'),
    alert_transition: transition,
    alert_id: '1234',
    link: 'https://app.datadoghq.com/event/event?id=7654321',
  });
  const spike = (transition: string) => ({
    ...datadogDefault('CPU is high'),
    alert_transition: transition,
    aggreg_key: '9bd4ac313a4d1e8fae2482df7b77628',
  });

  it.each([
    ['ilert', ilert],
    ['Spike', spike],
  ])('of %s fires and ends', (_name, payload) => {
    const fired = read(payload('Triggered')).signals;
    const over = read(payload('Recovered'));

    expect(fired).toHaveLength(1);
    expect(over).toMatchObject({ signals: [], ends: [{ fingerprint: fired[0]?.fingerprint }] });
  });

  it('may name its fields as the variables', () => {
    const { signals } = read({
      ALERT_TITLE: 'CPU is high',
      ALERT_TRANSITION: 'Triggered',
      ALERT_SCOPE: 'host:a',
      ALERT_PRIORITY: 'P1',
      TEXT_ONLY_MSG: 'above 95 %',
      URL: 'https://app.datadoghq.com/monitors/18',
    });

    expect(signals).toMatchObject([
      {
        service: 'a',
        severity: 'critical',
        attributes: { body: 'above 95 %' },
        links: [{ url: 'https://app.datadoghq.com/monitors/18' }],
      },
    ]);
  });
});
