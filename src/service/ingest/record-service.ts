import { labelName } from '../core/service-name.ts';
import type { Attributes, AttributeValue, LogRecord, Resource } from '../core/telemetry.ts';
import { toResource } from './decoded.ts';

/**
 * The service of a log record whose resource has no `service.name`: agents that follow files, journald and containers put
 * what they know into the record. The order of names is the same for all, see `nameService`.
 */

/** Labels of a record that are looked at. */
const MAX_LABELS = 300;
/** Levels of maps in maps that are looked into. */
const MAX_DEPTH = 4;

/** Maps that agents put around labels, and that say nothing by themselves. */
const AROUND: ReadonlySet<string> = new Set([
  'attributes',
  'docker',
  'fields',
  'kubernetes',
  'labels',
  'metadata',
  'pod_labels',
  'resource',
  'tags',
]);

/** What a program's own line may name it by. Its other fields may be about others. */
const LINE_NAMES = ['service.name', 'service_name', 'service', 'application', 'app', 'appname', 'app_name'];

/** Attributes of OpenTelemetry for what agents call otherwise: they are the instance, the host and labels of an incident. */
const AS_ATTRIBUTE: Readonly<Record<string, string>> = {
  pod_name: 'k8s.pod.name',
  pod: 'k8s.pod.name',
  namespace_name: 'k8s.namespace.name',
  namespace: 'k8s.namespace.name',
  hostname: 'host.name',
  host: 'host.name',
};

/** @param line fields of the record's line; null: it has none */
export function resourceOfRecord({ resource, body, attributes }: LogRecord, line: Attributes | null): Resource {
  if (resource.serviceBy === undefined) {
    return resource;
  }
  const own = labelsIn(isMap(body) ? { ...body, ...attributes } : attributes);
  const first = named(resource, own);
  const isWeak = first.serviceBy?.startsWith('label ') === false;
  return isWeak && line !== null ? named(first, pickNames(line)) : first;
}

function named(resource: Resource, labels: Attributes): Resource {
  return Object.keys(labels).length === 0 ? resource : toResource({ ...resource.attributes, ...labels });
}

function pickNames(line: Attributes): Attributes {
  const labels = labelsIn(line);
  return Object.fromEntries(LINE_NAMES.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])));
}

/** The texts of a map and of the maps in it, by the path to each without what is only put around them. */
function labelsIn(map: Attributes): Attributes {
  const labels: Record<string, AttributeValue> = {};
  let count = 0;
  const read = (own: Attributes, path: readonly string[]) => {
    for (const [key, value] of Object.entries(own)) {
      count += 1;
      if (count > MAX_LABELS) {
        return;
      }
      const steps = [...path, ...key.split('.')];
      if (isMap(value) && steps.length < MAX_DEPTH) {
        read(value, steps);
      } else if (typeof value === 'string') {
        addLabel(labels, inner(steps).join('.'), value);
      }
    }
  };
  read(map, []);
  return labels;
}

function inner(path: readonly string[]): readonly string[] {
  const start = path.findIndex((step) => !AROUND.has(step));
  return start === -1 ? path : path.slice(start);
}

/** `/var/log/pods/<namespace>_<pod>_<uid>/<container>/0.log` and `/var/log/containers/<pod>_<namespace>_<container>-<id>.log` */
const POD_FILE = /[/.]pods[/.]([a-z0-9.-]+)_([a-z0-9.-]+)_[0-9a-f-]+[/.]([a-z0-9-]+)[/.]/;
const CONTAINER_FILE = /[/.]containers[/.]([a-z0-9.-]+)_([a-z0-9.-]+)_([a-z0-9-]+)-[0-9a-f]{12,64}\.log/;
const LONGEST_PATH = 1_000;

function addLabel(labels: Record<string, AttributeValue>, name: string, value: string): void {
  labels[AS_ATTRIBUTE[labelName(name)] ?? name] ??= value;
  if (value.length > LONGEST_PATH || !/[/.](?:pods|containers)[/.]/.test(value)) {
    return;
  }
  const [, namespace, pod, container] = POD_FILE.exec(value) ?? [];
  const [, ofPod, inNamespace, inPod] = CONTAINER_FILE.exec(value) ?? [];
  const found = {
    'k8s.pod.name': pod ?? ofPod,
    'k8s.namespace.name': namespace ?? inNamespace,
    'k8s.container.name': container ?? inPod,
  };
  for (const [key, part] of Object.entries(found)) {
    if (part !== undefined) {
      labels[key] ??= part;
    }
  }
}

function isMap(value: AttributeValue | undefined): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
