import { INCIDENT_LABELS, type IncidentLabels } from '../../contract/resources.ts';

/** Lists and rules name a label as `team:payments`. A value that ends with `*` stands for all that begin alike. */
const WORD = new RegExp(String.raw`^\s*(${INCIDENT_LABELS.join('|')}):\s*(.*?)\s*$`, 'i');

/** @returns null: it names no label */
export function readLabelWord(word: string): string | null {
  const [, name = '', value = ''] = WORD.exec(word) ?? [];
  return name === '' || value === '' ? null : `${name.toLowerCase()}:${value}`;
}

/**
 * Whether an incident has one of the wanted values of each wanted label. What the service does not report matches, so that
 * no incident is lost.
 *
 * @param wanted `team:payments`, `team:search*`
 */
export function hasLabels(wanted: readonly string[], labels: IncidentLabels | undefined): boolean {
  const byName = Map.groupBy(wanted, nameOf);
  return (
    labels === undefined ||
    [...byName].every(([name, words]) =>
      words.some((word) => (labels[name] ?? []).some((value) => isNamed(word.slice(name.length + 1), value))),
    )
  );
}

/** Whether it is the wanted name, in any case, or one that begins like it where a `*` stands at the end. */
export function isNamed(wanted: string, name: string): boolean {
  const [one, other] = [wanted.toLowerCase(), name.toLowerCase()];
  return one.endsWith('*') ? other.startsWith(one.slice(0, -1)) : one === other;
}

function nameOf(word: string): string {
  return word.slice(0, word.indexOf(':'));
}
