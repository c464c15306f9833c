import { SEVERITY_NUMBERS } from '../core/judge-logs.ts';
import { ownerOfObject } from '../core/pod-owner.ts';
import type { Attributes, AttributeValue, LogRecord } from '../core/telemetry.ts';
import { clip, TEXT_LIMITS, textOf } from '../core/text.ts';

/** Reasons of events after which something does not run. Other warnings are less severe. */
const NOT_RUNNING = new Set([
  'BackOff',
  'BackoffLimitExceeded',
  'CrashLoopBackOff',
  'DeadlineExceeded',
  'ErrImagePull',
  'Evicted',
  'Failed',
  'FailedAttachVolume',
  'FailedCreate',
  'FailedCreatePodSandBox',
  'FailedMount',
  'FailedScheduling',
  'ImagePullBackOff',
  'NodeNotReady',
  'OOMKilling',
  'SystemOOM',
]);

/** What is used of an event, from either receiver. */
interface KubernetesEvent {
  readonly isWarning: boolean;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly reason: string;
  readonly message: string;
}

/**
 * A warning of Kubernetes as a record of the workload that it is about. The Collector's receivers `k8sobjects` (the event
 * is the body, or `object` in it) and `k8s_events` (attributes `k8s.event.*`, the object in the resource) send them.
 *
 * @returns null: the record is no such warning
 */
export function readKubernetesWarning(record: LogRecord): LogRecord | null {
  const event = readEvent(record);
  if (event === null || !event.isWarning || event.name === '') {
    return null;
  }
  const { kind, name, namespace, reason, message } = event;
  const service = clip(ownerOfObject(kind, name), TEXT_LIMITS.service);
  return {
    ...record,
    resource: {
      service,
      serviceBy: `the Kubernetes object ${kind} ${name}`,
      attributes: { ...record.resource.attributes, ...(namespace === '' ? {} : { 'k8s.namespace.name': namespace }) },
    },
    severityNumber: NOT_RUNNING.has(reason) ? SEVERITY_NUMBERS.error : SEVERITY_NUMBERS.warn,
    // Without the name of the pod, so that the events of all its pods are one failure.
    body: `${reason}: ${message.replaceAll(name, service)}`,
    attributes: {
      'k8s.event.reason': reason,
      'k8s.object.kind': kind,
      'k8s.object.name': name,
      ...(namespace === '' ? {} : { namespace }),
    },
  };
}

function readEvent({ body, attributes, resource, severityNumber }: LogRecord): KubernetesEvent | null {
  const reason = textOf(attributes['k8s.event.reason']);
  if (reason !== '') {
    const about = { ...resource.attributes, ...attributes };
    return {
      isWarning: severityNumber >= SEVERITY_NUMBERS.warn,
      kind: textOf(about['k8s.object.kind']),
      name: textOf(about['k8s.object.name']),
      namespace: textOf(about['k8s.namespace.name']),
      reason,
      message: textOf(body),
    };
  }
  const sent = mapIn(body);
  const event = sent.kind === 'Event' ? sent : mapIn(sent.object);
  if (event.kind !== 'Event') {
    return null;
  }
  const object = mapIn(event.involvedObject ?? event.regarding); // `regarding` in events.k8s.io/v1
  return {
    isWarning: event.type === 'Warning' && sent.type !== 'DELETED',
    kind: textOf(object.kind),
    name: textOf(object.name),
    namespace: textOf(object.namespace),
    reason: textOf(event.reason),
    message: textOf(event.message ?? event.note),
  };
}

function mapIn(value: AttributeValue | undefined): Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Attributes) : {};
}
