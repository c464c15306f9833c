import { reporterLabels } from './exporters.ts';
import { nameInPath } from './resource-name.ts';

/**
 * Alerts that have only their name in common are not one failure. What tells them apart are the labels in which they differ;
 * an alert without others of its name has only the labels that are known to say where.
 */

type Labels = Readonly<Record<string, string>>;

/** What an alert says of itself, as it is stored with its signal. */
export interface NamedAlert {
  readonly name: string;
  /** Labels that identify it. */
  readonly labels: Labels;
  /** Whether nothing but its name names a service. */
  readonly isUnnamed: boolean;
}

export interface Located {
  /** What fails: a service, a machine, a check; if none is known, the alert with its place. */
  readonly service: string;
  /** Where, besides the service: `/mnt/volumes`; null: the service says it all. */
  readonly place: string | null;
}

/** Names are in lower case, with underscores, without `exported_`. */
const MACHINES = ['host', 'hostname', 'host_name', 'node', 'nodename', 'node_name', 'kubernetes_node', 'machine', 'vm'];
const SUBJECTS = ['check', 'check_name', 'target', 'probe', 'url', 'queue', 'topic', 'database', 'datname'];
/** They may be those of a program that reports on others. */
const SOURCES = ['pod', 'instance'];
/** Parts of a machine. */
const PARTS = ['mountpoint', 'device', 'disk', 'volume', 'persistentvolumeclaim', 'interface', 'filesystem'];
const WHERE = [...MACHINES, ...SUBJECTS, ...SOURCES];

/** Of attributes that also tell other things, those by which an alert alone says where it fires. */
export function whereLabels<Value>(attributes: Readonly<Record<string, Value>>): Record<string, Value> {
  const known = Object.entries(attributes).filter(([name]) => [...WHERE, ...PARTS].includes(keyOf(name)));
  return Object.fromEntries(known);
}

/** How an alert is judged, and by which of equal senders, is not where it fires. */
const NOWHERE = /^(?:alertname|rulename|grafana_folder|severity|priority|prometheus|(?:prometheus_)?replica|__.*)$/;
/** People route by these. Many failures share them. */
const WIDE = /^(?:team|env|environment|cluster|namespace|region)$/;

const MOST_WORDS = 3;

/** @param seen labels of alerts of the same name, in any order; its own may be among them */
export function locateAlert(
  { name, labels, isUnnamed }: NamedAlert,
  service: string,
  seen: readonly Labels[],
): Located {
  const own = tellingLabels(labels);
  const others = seen.map((other) => tellingLabels(other));
  const all = [own, ...others];
  const differing = [...own.keys()].filter((label) => others.some((other) => other.get(label) !== own.get(label)));
  const telling = firstOfEach(differing.filter((label) => !PARTS.includes(label)).toSorted(byRank), all);
  const known = WHERE.find((label) => own.has(label));
  const machine = MACHINES.find((label) => own.has(label));
  const thing = machine ?? telling[0] ?? known;
  const parts = [...differing, ...own.keys()].filter((label) => PARTS.includes(label) || SUBJECTS.includes(label));
  const words = [thing, ...telling.slice(0, MOST_WORDS - 1), parts.toSorted(byRank)[0]].flatMap((label) =>
    label === undefined ? [] : shown(label, all),
  );
  const place = [...new Set(words)];
  const isOwn = thing !== undefined && WHERE.includes(thing);
  const ofName = [name, ...place].join(' ');
  const what = isUnnamed ? (isOwn ? (place[0] ?? name) : ofName) : service;
  const rest = what === ofName ? [] : place.filter((word) => word !== what);
  return { service: what, place: rest.length === 0 ? null : rest.join(', ') };
}

/** The labels that may say where, without those of the program that reports. */
function tellingLabels(labels: Labels): ReadonlyMap<string, string> {
  const named = Object.entries(labels).map(([name, value]) => [keyOf(name), value] as const);
  const reporters = new Set(reporterLabels(labels));
  const exported = named.filter(([name]) => name.startsWith('exported_'));
  const all = new Map([...named, ...exported.map(([name, value]) => [name.slice(9), value] as const)]);
  return new Map(
    [...all].filter(([name, value]) => {
      const isReporter = reporters.has(name) && !exported.some(([label]) => label === `exported_${name}`);
      return isPlace(value) && !NOWHERE.test(name) && !name.startsWith('exported_') && !isReporter;
    }),
  );
}

/** A number or a text of several lines is no place. */
function isPlace(value: string): boolean {
  return value !== '' && value.length <= 100 && !/^\d+$|\n/.test(value);
}

function byRank(one: string, other: string): number {
  return rankOf(one) - rankOf(other);
}

function rankOf(label: string): number {
  const rank = [...WHERE, ...PARTS].indexOf(label);
  return rank === -1 ? WHERE.length + PARTS.length + (WIDE.test(label) ? 1 : 0) : rank;
}

/** Of labels that tell the same alerts apart only the first. */
function firstOfEach(differing: readonly string[], all: readonly ReadonlyMap<string, string>[]): string[] {
  const partitions = differing.map((label) => {
    const values = all.map((labels) => labels.get(label));
    return values.map((value) => values.indexOf(value)).join();
  });
  return differing.filter((_, index) => partitions.indexOf(partitions[index] ?? '') === index);
}

/** An address without its port, unless another alert of the name has only another port. */
function shown(label: string, [own, ...others]: readonly ReadonlyMap<string, string>[]): string[] {
  const value = own?.get(label);
  if (value === undefined) {
    return [];
  }
  const host = withoutPort(value);
  const isOneOfMany = others.some((other) => {
    const another = other.get(label);
    return another !== undefined && another !== value && withoutPort(another) === host;
  });
  return [isOneOfMany ? value : nameInPath(host)];
}

function withoutPort(address: string): string {
  return address.includes('://') ? address : address.replace(/^([^:]+|\[[^\]]+\]):\d+$/, '$1');
}

function keyOf(name: string): string {
  return name.replaceAll(/[./-]/g, '_').toLowerCase();
}
