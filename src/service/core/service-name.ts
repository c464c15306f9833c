import { isExporter } from './exporters.ts';
import { MEANT_SERVICES, nameOfUnit, namingDimensions } from './meant-service.ts';
import { ownerOfPod } from './pod-owner.ts';
import { nameInPath } from './resource-name.ts';
import { type Attributes, UNKNOWN_SERVICE } from './telemetry.ts';
import { clip, TEXT_LIMITS } from './text.ts';

/** A service, and why it is this one. */
export interface NamedService {
  readonly service: string;
  /** For people: `label app_kubernetes_io_name`, `the alert's name`. */
  readonly by: string;
}

/** What named a service that nothing names. */
export const UNNAMED = 'nothing';

/** What may name a service. */
export interface ServiceClues {
  /** Names that a mapping or the sender's own field gives. They win. */
  readonly given?: readonly unknown[];
  /** Labels of Prometheus, attributes of OpenTelemetry, tags. Dots and underscores in their names are alike. */
  readonly labels?: Attributes;
  /** Used when nothing else names a service, by what they are: `the alert's name`. */
  readonly otherwise?: Readonly<Record<string, unknown>>;
}

/**
 * The one order in which all formats name the service; docs/senders.md has it too. Paths of clouds are read, see `nameInPath`.
 *
 * Labels of the scraped target name the exporter and not what it tells about, if there is an `exported_*` label or the name
 * is that of a known exporter. Workloads are always what an alert is about.
 */
export function nameService({ given = [], labels = {}, otherwise = {} }: ServiceClues): NamedService {
  const own = given.map(textIn).find((name) => name !== '');
  if (own !== undefined) {
    return named(own, 'the sender');
  }
  const label = findLabel(normalise(labels));
  if (label !== null) {
    return label;
  }
  const last = Object.entries(otherwise).find(([, name]) => textIn(name) !== '');
  return last === undefined ? { service: UNKNOWN_SERVICE, by: UNNAMED } : named(textIn(last[1]), last[0]);
}

type Labels = ReadonlyMap<string, string>;

/** The order. A step gives the service, or an empty text. */
const STEPS: readonly ((labels: Labels) => readonly [label: string, service: string])[] = [
  one('service_name'),
  foreign('app_kubernetes_io_name', nameOfApp),
  ...['deployment', 'statefulset', 'daemonset', 'job_name', 'cronjob', 'rollout'].map((kind) => workload(kind)),
  ...['horizontalpodautoscaler', 'poddisruptionbudget'].map((kind) => workload(kind)), // called like their workload
  ...['deployment', 'statefulset', 'daemonset', 'job', 'cronjob'].flatMap((kind) => [
    workload(`k8s_${kind}_name`),
    workload(`${kind}_name`),
  ]),
  ...MEANT_SERVICES.map(([label, read]) => foreign(label, read)),
  byDimension,
  foreign('name', nameOfUnit),
  foreign('exported_pod', ownerOfPod),
  ofTarget('pod', ownerOfPod),
  ofTarget('pod_name', ownerOfPod),
  ofTarget('k8s_pod_name', ownerOfPod),
  inNamespace('exported_container'),
  inNamespace('container'),
  inNamespace('k8s_container_name'),
  inNamespace('container_name'),
  ...['app', 'k8s_app', 'application'].map((label) => ofTarget(label)),
  foreign('exported_service', withoutProvider),
  foreign('exported_job'),
  ofTarget('service', withoutProvider),
  ofTarget('container_name', (name) => name.replace(/^\//, '')), // Docker writes a slash before it
  ...['systemd_unit', 'unit', 'systemd_user_unit'].map((label) => ofTarget(label, nameOfUnit)),
  ...['syslog_identifier', 'appname', 'app_name', 'programname', 'ident'].map((label) => ofTarget(label)),
  ...['aws_log_group_names', 'log_group', 'loggroup'].map((label) => ofTarget(label, nameOfLogGroup)),
  ofTarget('job', nameOfJob),
];

function findLabel(labels: Labels): NamedService | null {
  for (const step of STEPS) {
    const [label, service] = step(labels);
    if (service !== '') {
      return named(service, `label ${label}`);
    }
  }
  return null;
}

type Step = (typeof STEPS)[number];

function one(label: string): Step {
  return (labels) => {
    const service = labels.get(label) ?? '';
    return [label, service.startsWith('unknown_service') ? '' : service]; // what SDKs send when nobody has set it
  };
}

/** A workload may be an exporter: then the alert is about it. A job of a cron job has the minute at its end. */
function workload(label: string): Step {
  return (labels) => [label, (labels.get(label) ?? '').replace(/-\d{7,10}$/, '')];
}

/** A label that names an exporter is of the exporter. */
function foreign(label: string, read: (value: string, labels: Labels) => string = (value) => value): Step {
  return (labels) => {
    const service = read(labels.get(label) ?? '', labels);
    return [label, isExporter(service) ? '' : service];
  };
}

/** A label that the scrape gives to its target. */
function ofTarget(label: string, read?: (value: string, labels: Labels) => string): Step {
  const step = foreign(label, read);
  return (labels) => (isAboutOthers(labels) ? [label, ''] : step(labels));
}

/** YACE makes a label of each dimension. */
function byDimension(labels: Labels): readonly [label: string, service: string] {
  const dimensions = [...labels].filter(([label]) => label.startsWith('dimension_'));
  return namingDimensions(Object.fromEntries(dimensions))[0] ?? ['dimension', ''];
}

/** Without a namespace, `container` is no label of Kubernetes. */
function inNamespace(label: string): Step {
  const step = label.startsWith('exported_') ? foreign(label) : ofTarget(label);
  return (labels) =>
    ['namespace', 'exported_namespace', 'k8s_namespace_name', 'namespace_name'].some((each) => labels.has(each))
      ? step(labels)
      : [label, ''];
}

/** Prometheus renames labels that both the target and its metric have: the target tells about others. */
function isAboutOthers(labels: Labels): boolean {
  return ['exported_pod', 'exported_container', 'exported_service', 'exported_job', 'exported_namespace'].some(
    (label) => labels.has(label),
  );
}

/** `mysql` with the component `primary` of `shop` is still `mysql`; a component tells more only where the name is the whole. */
function nameOfApp(name: string, labels: Labels): string {
  if (name === '' || isAboutOthers(labels)) {
    return '';
  }
  const component = labels.get('app_kubernetes_io_component') ?? '';
  const isWhole = labels.get('app_kubernetes_io_part_of') === name;
  return isWhole && component !== '' && component !== name ? `${name}-${component}` : name;
}

/** `/aws/lambda/checkout`, `/ecs/checkout`: the last part. */
function nameOfLogGroup(group: string): string {
  return group.slice(group.lastIndexOf('/') + 1);
}

/** Traefik's services have their provider behind them: `checkout@docker`. */
function withoutProvider(service: string): string {
  return service.replace(/@[a-z]+$/, '');
}

/** Names of scrape jobs that read many services: their annotations, all pods, the path of a monitor. */
const JOB_OF_MANY = /^(?:kubernetes-(?:pods|services?|service-endpoints|nodes|endpoints|ingresses)\b.*|.*\/.*)$/;

/** Names that the documents of Prometheus, Istio, Linkerd and exporters give to scrapes of hosts, proxies and clouds. */
const USUAL_JOBS: ReadonlySet<string> = new Set([
  'cloudwatch',
  'docker',
  'envoy-stats',
  'federate',
  'istio-mesh',
  'linkerd-proxy',
  'node',
  'nodes',
  'windows',
  'yace',
]);

function nameOfJob(job: string): string {
  return JOB_OF_MANY.test(job) || USUAL_JOBS.has(job) ? '' : job;
}

function normalise(labels: Attributes): Labels {
  const texts = Object.entries(labels).flatMap(([name, value]) => {
    const text = textIn(value);
    return text === '' ? [] : [[labelName(name), text] as const];
  });
  return new Map(texts);
}

/** A label's name as the order has it: journald's `_SYSTEMD_UNIT` is `systemd_unit`. */
export function labelName(name: string): string {
  return name.replaceAll(/[./-]/g, '_').toLowerCase().replace(/^_+/, '');
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function named(service: string, by: string): NamedService {
  return { service: clip(nameInPath(service), TEXT_LIMITS.service), by };
}
