import { REQUEST_LIMITS } from '../../contract/requests.ts';
import { INCIDENT_LABELS, type IncidentLabel, type IncidentLabels } from '../../contract/resources.ts';
import { MAIN_SYSTEM } from '../../contract/system.ts';
import { readLabelWord } from '../../incident/label-word.ts';
import { reporterLabels } from './exporters.ts';
import type { ObservedSignal } from './signal.ts';
import { oneLine } from './text.ts';

/**
 * Labels and attributes that give each label, the first that is not empty. Dots, slashes, dashes and underscores in their
 * names are alike, and so are upper and lower case.
 */
const NAMES: Readonly<Record<IncidentLabel, readonly string[]>> = {
  team: ['team'],
  env: ['env', 'environment', 'deployment_environment_name', 'deployment_environment'],
  cluster: ['cluster', 'k8s_cluster_name'],
  namespace: ['exported_namespace', 'namespace', 'k8s_namespace_name'],
  region: ['region', 'cloud_region'],
  system: [], // a sender does not choose it
};

/** Values of one label that an incident keeps. */
const MAX_VALUES = 10;

/**
 * What people route a signal by, as `team:payments`. Its own attributes win over those of its sender; those of an exporter say
 * nothing. The default system is no label.
 */
export function labelsOf({
  attributes,
  source,
  system = MAIN_SYSTEM,
}: Pick<ObservedSignal, 'attributes' | 'source' | 'system'>): string[] {
  const given = new Map<string, string>();
  const reporters = reporterLabels(attributes);
  for (const [name, value] of [...Object.entries(attributes), ...Object.entries(source)]) {
    const key = keyOf(name);
    const text = typeof value === 'string' ? oneLine(value, REQUEST_LIMITS.labelValue) : '';
    if (text !== '' && !given.has(key) && !reporters.includes(key)) {
      given.set(key, text);
    }
  }
  const found = INCIDENT_LABELS.flatMap((label) => {
    const name = NAMES[label].find((each) => given.has(each));
    return name === undefined ? [] : [labelWord(label, given.get(name) ?? '')];
  });
  return system === MAIN_SYSTEM ? found : [...found, labelWord('system', system)];
}

/** The label that a sender's label or attribute gives: `environment` gives `env`. */
export function labelGivenBy(name: string): IncidentLabel | null {
  return INCIDENT_LABELS.find((label) => NAMES[label].includes(keyOf(name))) ?? null;
}

function keyOf(name: string): string {
  return name.replaceAll(/[./-]/g, '_').toLowerCase();
}

export function labelWord(label: IncidentLabel, value: string): string {
  return `${label}:${value}`;
}

/** @param words the first seen first */
export function keepLabels(words: readonly string[]): string[] {
  const byLabel = Map.groupBy(words, (word) => word.slice(0, word.indexOf(':')));
  return [...byLabel.values()].flatMap((some) => some.slice(0, MAX_VALUES)).toSorted();
}

/** The values of each label. */
export function presentLabels(words: readonly string[]): IncidentLabels {
  const pairs = words.map((word) => [word.slice(0, word.indexOf(':')), word.slice(word.indexOf(':') + 1)] as const);
  const byLabel = Map.groupBy(pairs, ([label]) => label);
  return Object.fromEntries([...byLabel].map(([label, some]) => [label, some.map(([, value]) => value)]));
}

/** `team:payments, env:prod` as people type it; words that are no labels are left out. */
export function readLabelWords(text: string): string[] {
  return text.split(',').flatMap((word) => readLabelWord(word) ?? []);
}

/** The words of a query: `{ team: 'payments' }`. */
export function labelWordsOf(query: Readonly<Partial<Record<IncidentLabel, string | undefined>>>): string[] {
  return INCIDENT_LABELS.flatMap((label) => {
    const value = query[label];
    return value === undefined ? [] : [labelWord(label, value)];
  });
}
