import { describe, expect, it } from 'vitest';
import { finish } from '../../../test/support/finish.ts';
import type { AttributeValue } from '../core/telemetry.ts';
import { decodeLogs } from './formats/otlp/otlp-json.ts';
import { readLogs } from './read-telemetry.ts';

const NOW = new Date('2026-01-31T08:00:10Z');
const NANOS = '1769846400000000000';
const UID = '0a1b2c3d-1111-2222-3333-444455556666';

interface Sent {
  readonly resource?: Readonly<Record<string, string>>;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly body: AttributeValue;
  readonly severityNumber?: number;
}

function toValue(value: AttributeValue): object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { kvlistValue: { values: toList(value as Readonly<Record<string, AttributeValue>>) } }
    : { stringValue: String(value) };
}

function toList(map: Readonly<Record<string, AttributeValue>>): object[] {
  return Object.entries(map).map(([key, value]) => ({ key, value: toValue(value) }));
}

/** The signal of a record, as an agent sends it by OTLP. */
function signalOf({ resource = {}, attributes = {}, body, severityNumber = 0 }: Sent) {
  const record = { timeUnixNano: NANOS, severityNumber, attributes: toList(attributes), body: toValue(body) };
  const resourceLogs = [{ resource: { attributes: toList(resource) }, scopeLogs: [{ logRecords: [record] }] }];
  const { items } = finish(decodeLogs(Buffer.from(JSON.stringify({ resourceLogs }))));
  return readLogs(items, NOW).signals[0];
}

const POD = { pod_name: 'pay-6d5f8c7b9d-x7k2p', namespace_name: 'shop', container_name: 'pay' };

/** As Fluent Bit, Vector, Promtail, Filebeat, Fluentd and the Collector's receivers send them (fluent-bit issues 6323, 8359, 9372). */
const records: readonly [what: string, sent: Sent, service: string, summary: string][] = [
  [
    'what Kubernetes knows, around a line of JSON',
    {
      body: {
        log: '{"level":"error","msg":"charge refused"}',
        stream: 'stderr',
        kubernetes: { ...POD, labels: { app: 'pay' } },
      },
    },
    'pay',
    'charge refused',
  ],
  [
    'a label of the app before the pod',
    { body: { log: 'ERROR no', kubernetes: { ...POD, labels: { 'app.kubernetes.io/name': 'payments' } } } },
    'payments',
    'ERROR no',
  ],
  ['the pod alone', { body: { log: 'ERROR no', kubernetes: { pod_name: POD.pod_name } } }, 'pay', 'ERROR no'],
  ['fields of ECS', { body: { message: 'no', 'log.level': 'error', service: { name: 'pay' } } }, 'pay', 'no'],
  [
    'fields of Filebeat',
    { body: { message: 'ERROR no', kubernetes: { namespace: 'shop', deployment: { name: 'pay' } } } },
    'pay',
    'ERROR no',
  ],
  [
    'a severity in the map',
    { body: { severityText: 'Error', severityNumber: '17', message: 'out of balance', app: 'ledger' } },
    'ledger',
    'out of balance',
  ],
  [
    'a unit of journald',
    { body: { MESSAGE: 'Failed', PRIORITY: '3', _SYSTEMD_UNIT: 'backup.service', _HOSTNAME: 'node-9' } },
    'backup',
    'Failed',
  ],
  [
    'a program of journald without a unit of its own',
    { body: { MESSAGE: 'Failed', PRIORITY: '2', _SYSTEMD_UNIT: 'session-3.scope', SYSLOG_IDENTIFIER: 'sudo' } },
    'sudo',
    'Failed',
  ],
  ['a container of Docker', { body: { log: 'ERROR no', container_name: '/pay' } }, 'pay', 'ERROR no'],
  [
    'a service of Compose',
    { body: 'ERROR no', attributes: { 'com.docker.compose.service': 'pay', container_name: 'shop-pay-1' } },
    'pay',
    'ERROR no',
  ],
  [
    'its attributes',
    { body: 'no seat', severityNumber: 17, attributes: { 'service.name': 'seats' } },
    'seats',
    'no seat',
  ],
  [
    'attributes of Kubernetes',
    {
      body: 'fire',
      severityNumber: 17,
      attributes: { 'k8s.container.name': 'print', 'k8s.namespace.name': 'office' },
    },
    'print',
    'fire',
  ],
  [
    'the path of its file',
    {
      body: '2026-01-31T08:00:00Z stderr F ERROR no',
      attributes: { 'log.file.path': `/var/log/pods/shop_${POD.pod_name}_${UID}/pay/0.log` },
    },
    'pay',
    '2026-01-31T08:00:00Z stderr F ERROR no',
  ],
  [
    'the link to its file',
    { body: { log: 'ERROR no', filename: `/var/log/containers/${POD.pod_name}_shop_pay-${'0a'.repeat(32)}.log` } },
    'pay',
    'ERROR no',
  ],
  ['a log group', { body: 'ERROR no', attributes: { log_group: '/aws/lambda/pay' } }, 'pay', 'ERROR no'],
  ['its line', { body: '{"level":"error","service":"fares","msg":"empty"}' }, 'fares', 'empty'],
  ['its line of logfmt', { body: 'level=error app=fares msg="empty"' }, 'fares', 'empty'],
  ['the host alone', { body: { MESSAGE: 'no', PRIORITY: '3', _HOSTNAME: 'node-9' } }, 'node-9', 'no'],
  [
    'the SDK only if nothing else does',
    { resource: { 'service.name': 'unknown_service:java' }, body: { log: 'ERROR no', app: 'pay' } },
    'pay',
    'ERROR no',
  ],
];

describe('a log record is of the service that names it', () => {
  it.each(records)('by %s', (_what, sent, service, summary) => {
    expect(signalOf(sent)).toMatchObject({ service, summary });
  });

  it('but what its resource says wins over all', () => {
    const sent = { resource: { 'service.name': 'cart' }, body: { log: 'ERROR no', app: 'pay' } };

    expect(signalOf(sent)).toMatchObject({ service: 'cart' });
  });

  it('and not of a pod that the line tells about', () => {
    const body = '{"level":"error","msg":"cannot bind","pod":"shop/pay-6d5f8c7b9d-x7k2p","job":"x"}';

    const signal = signalOf({ resource: { 'k8s.pod.name': 'kube-scheduler-node-1' }, body });

    expect(signal).toMatchObject({ service: 'kube-scheduler', summary: 'cannot bind' });
  });

  it('and tells where it ran', () => {
    const { source } = signalOf({ body: { log: 'ERROR no', kubernetes: { ...POD, host: 'node-9' } } }) ?? {};

    expect(source).toMatchObject({
      'k8s.pod.name': POD.pod_name,
      'k8s.namespace.name': 'shop',
      'host.name': 'node-9',
      service_by: 'label k8s_pod_name',
    });
  });

  it('and reads no more than 300 of its labels', () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 'x']));
    const body = (count: number) => JSON.stringify({ level: 'error', msg: 'no', ...fields(count), service: 'pay' });

    expect([signalOf({ body: body(297) })?.service, signalOf({ body: body(298) })?.service]).toEqual([
      'pay',
      'unknown',
    ]);
  });
});
