import { describe, expect, it } from 'vitest';
import type { Attributes, AttributeValue, LogRecord } from '../core/telemetry.ts';
import { readLogs } from './read-telemetry.ts';

const NOW = new Date('2026-01-31T08:00:00Z');
const POD = 'payments-5d4f8c7b9d-x7k2p';

function record(body: AttributeValue, attributes: Attributes = {}, resource: Attributes = {}): LogRecord {
  return {
    resource: { service: 'unknown', attributes: resource },
    timeNanos: BigInt(NOW.getTime()) * 1_000_000n,
    severityNumber: 0,
    severityText: '',
    body,
    attributes,
    traceId: null,
    spanId: null,
  };
}

/** An event of core/v1, as Kubernetes documents it. */
function event(kind: string, name: string, changes: Attributes = {}): Attributes {
  return {
    kind: 'Event',
    apiVersion: 'v1',
    type: 'Warning',
    reason: 'BackOff',
    message: `Back-off restarting failed container payments in pod ${name}`,
    involvedObject: { kind, name, namespace: 'shop', uid: 'u' },
    count: 17,
    ...changes,
  };
}

/** What opentelemetry-collector-contrib, receiver/k8sobjectsreceiver, sends of a watched event (0.140). */
function watched(kind: string, name: string, changes?: Attributes): LogRecord {
  const attributes = { 'event.domain': 'k8s', 'event.name': 'x', 'k8s.resource.name': 'events' };
  return record({ type: 'ADDED', object: event(kind, name, changes) }, attributes);
}

describe('a warning of Kubernetes', () => {
  it('is a signal of its workload, from the receiver k8sobjects', () => {
    const { signals } = readLogs([watched('Pod', POD), watched('Pod', 'payments-5d4f8c7b9d-9wz4t')], NOW);

    expect(signals).toMatchObject([
      {
        type: 'log',
        service: 'payments',
        severity: 'error',
        summary: 'BackOff: Back-off restarting failed container payments in pod payments',
        occurrences: 2,
        attributes: { namespace: 'shop', 'k8s.event.reason': 'BackOff', 'k8s.object.name': POD },
        source: { format: 'otlp', service_by: `the Kubernetes object Pod ${POD}` },
      },
    ]);
  });

  it('is one too when objects are pulled, and by the newer API', () => {
    const { involvedObject: _, message: __, ...rest } = event('Pod', POD);
    const newer = { ...rest, apiVersion: 'events.k8s.io/v1', note: 'no nodes', regarding: { kind: 'Pod', name: POD } };

    const { signals } = readLogs([record(event('Pod', POD)), record(newer)], NOW);

    expect(signals.map(({ service, summary }) => [service, summary])).toEqual([
      ['payments', 'BackOff: Back-off restarting failed container payments in pod payments'],
      ['payments', 'BackOff: no nodes'],
    ]);
  });

  it('is one too from the receiver k8s_events', () => {
    const attributes = { 'k8s.event.reason': 'Unhealthy', 'k8s.namespace.name': 'shop', 'k8s.event.count': 3 };
    const resource = { 'k8s.object.kind': 'Pod', 'k8s.object.name': POD, 'k8s.node.name': 'node-1' };
    const sent = { ...record('Readiness probe failed: 503', attributes, resource), severityNumber: 13 };

    const { signals, telemetry } = readLogs([sent], NOW);

    expect(signals).toMatchObject([{ service: 'payments', severity: 'warning', attributes: { namespace: 'shop' } }]);
    expect(telemetry).toMatchObject([{ kind: 'log', service: 'payments', severity: 'warning' }]);
  });

  it.each([
    ['Deployment', 'payments', 'payments'],
    ['ReplicaSet', 'payments-5d4f8c7b9d', 'payments'],
    ['StatefulSet', 'orders-db', 'orders-db'],
    ['Pod', 'orders-db-0', 'orders-db'],
    ['Job', 'backup-29384750', 'backup'],
    ['Node', 'node-1', 'node-1'],
  ])('of the %s %s is about %s', (kind, name, service) => {
    expect(readLogs([watched(kind, name)], NOW).signals).toMatchObject([{ service }]);
  });
});

it.each([
  ['a normal event', watched('Pod', POD, { type: 'Normal', reason: 'Pulled' })],
  ['the removal of an event', record({ type: 'DELETED', object: event('Pod', POD) })],
  ['another object', record({ type: 'ADDED', object: { kind: 'Pod', metadata: { name: POD } } })],
  ['a log line', record('all is well')],
])('makes no signal of %s', (_, sent) => {
  expect(readLogs([sent], NOW).signals).toEqual([]);
});
