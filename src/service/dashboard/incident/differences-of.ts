import type { Comparison } from '../../../contract/comparison.ts';

const NAMES: Readonly<Record<string, string>> = { caller: 'called by', call: 'call', entry: 'came in at' };

export function attributeName(attribute: string): string {
  return NAMES[attribute] ?? attribute;
}

/** Why no difference is shown; empty: there are some, or nothing was compared. */
export function noDifferenceWords({ good, attributes, differences }: Comparison): string {
  if (differences.length > 0) {
    return '';
  }
  if (good === 0) {
    return 'No request went well there, so there is nothing to compare with.';
  }
  return attributes.length === 0 ? '' : `Lost and good requests do not differ in ${listed(attributes)}.`;
}

/** " Estimated from 90 of them, …"; empty: senders send every request. */
export function sampleWords({ lost, good, kept }: Comparison): string {
  return kept >= lost + good
    ? ''
    : ` Estimated from ${kept.toLocaleString('en')} of them, because their senders send a sample.`;
}

/** "instance payments-1: 96 of 100 lost requests, 12 of 900 good ones" */
export function differenceWords({
  attribute,
  value,
  lost,
  lost_of: lostOf,
  good,
  good_of: goodOf,
}: Comparison['differences'][number]): string {
  const [part, all, goodPart, allGood] = [lost, lostOf, good, goodOf].map((count) => count.toLocaleString('en'));
  return `${attributeName(attribute)} ${value}: ${part} of ${all} lost requests, ${goodPart} of ${allGood} good ones`;
}

const NOUNS: Readonly<Record<string, string>> = { call: 'what calls it', entry: 'where they came in' };

function listed(attributes: readonly string[]): string {
  const names = attributes.map((attribute) => NOUNS[attribute] ?? attribute);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
