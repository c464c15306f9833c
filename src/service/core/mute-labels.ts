import { INCIDENT_LABELS } from '../../contract/resources.ts';
import { readLabelWord } from '../../incident/label-word.ts';

/** What a mute of the target `labels` is called in errors and forms. */
export const MUTE_LABELS_HELP =
  'must be labels such as team:payments, env:prod*: team, env, cluster, namespace, region or service, with * for any text';

/** By label, or `service` for the root service: patterns of LIKE, of which each value must match one. */
export type MutePatterns = Readonly<Record<string, readonly string[]>>;

/** A text that begins like this is meant as labels, also with a mistake in it; every other one is the name of a service. */
export function looksLikeLabels(text: string): boolean {
  return BEGINNING.test(text);
}

const BEGINNING = new RegExp(String.raw`^\s*(?:service|${INCIDENT_LABELS.join('|')}):`, 'i');

/**
 * Reads `team:payments, env:prod*`.
 *
 * @returns the words in the order in which mutes are stored; null: it is something else
 */
export function readMuteLabels(text: string): string[] | null {
  const words = text.split(',').map(readWord);
  return words.every((word) => word !== null) ? [...new Set(words)].toSorted() : null;
}

function readWord(text: string): string | null {
  const [, service = ''] = /^\s*service:\s*(.*?)\s*$/i.exec(text) ?? [];
  return service === '' ? readLabelWord(text) : `service:${service}`;
}

export function patternsOf(words: readonly string[]): MutePatterns {
  const byLabel = Map.groupBy(words, (word) => word.slice(0, word.indexOf(':')));
  return Object.fromEntries([...byLabel].map(([label, some]) => [label, some.map(likeOf)]));
}

function likeOf(word: string): string {
  return word.replaceAll(/[\\%_]/g, '\\$&').replaceAll('*', '%');
}
