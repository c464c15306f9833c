import type { IncidentLabels } from '../contract/resources.ts';

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

/** Whether `name` equals `wanted`, in any case, or begins with it if `wanted` ends with `*`. */
export function isNamed(wanted: string, name: string): boolean {
  const [one, other] = [wanted.toLowerCase(), name.toLowerCase()];
  return one.endsWith('*') ? other.startsWith(one.slice(0, -1)) : one === other;
}

function nameOf(word: string): string {
  return word.slice(0, word.indexOf(':'));
}
