import type { Severity } from '../../../contract/resources.ts';
import { severityNamed, severityOfPriority } from '../alert.ts';
import { wordsIn } from './read-state.ts';

/** Beginnings of words of other languages, and of English ones beside those that every format reads. */
const STEMS: readonly (readonly [Severity, RegExp])[] = [
  [
    'critical',
    /^(?:crit$|critical$|critic[ao]s?$|critiqu|fatal|disaster|emerg|kritisch|kritiek|catastr|blocker|urgent|dringend|p1$|sev0$)|^[重致][大命]|严重|緊急|紧急/,
  ],
  [
    'error',
    /^(?:error|err$|high|hoch|hoog|major|severe|schwer|fehler|grave|haute?$|alta?$|alto$|ernstig|failure|fout$|erro|p2$|sev1$)|错误|エラー|高/,
  ],
  [
    'warning',
    /^(?:warn|medium|moder|mittel|minor|average|moyen|media?$|medio$|middel|avert|advert|avis|attenz|waarsch|p3$|sev2$)|警告|注意|中/,
  ],
  [
    'info',
    /^(?:info|low$|lowest|notice|debug|niedrig|gering|laag$|faible|baj[ao]$|baix[ao]$|bass[ao]$|trivial|p4$|p5$|none$)|信息|情報|低/,
  ],
];

/** The severity that a text names. null: it names none, as a number alone does not. */
export function readSeverity(text: string): Severity | null {
  const priority = severityOfPriority(text);
  if (priority !== null) {
    return priority;
  }
  const named = severityNamed(text);
  if (named !== 'error') {
    return named;
  }
  const words = wordsIn(text.replaceAll(/\b(?:p|sev) ?-?(?=\d)/gi, (found) => found.trim().replace('-', '')));
  const found = STEMS.find(([, stem]) => words.some((word) => stem.test(word)));
  return found?.[0] ?? null;
}

/** What a number as a severity means: which end of its range is the worst. */
export type NumberScale = 'one is worst' | 'syslog' | 'five is worst' | 'hundred is worst';

const COUNTED_FROM_ONE = /prio|urgen|dring|sevlevel|^p$|^sev$|tier|rank/;
const PERCENT = /score|percent|confid/;

/**
 * The scale of a number, by the name of its field and by what it was while things failed and once they were over: an end has
 * the mildest. null: nothing tells, so that people must.
 */
export function scaleOf(
  name: string,
  failing: readonly number[],
  over: readonly number[],
  beside: string,
): NumberScale | null {
  const highest = Math.max(...failing, ...over);
  const isCompared = over.length > 0 && failing.length > 0;
  const isUpward = isCompared && Math.max(...over) < Math.min(...failing);
  if (highest > 10 || PERCENT.test(name)) {
    return highest > 100 ? null : 'hundred is worst';
  }
  if (/syslog|^pri$/.test(name) || (/severity|level/.test(name) && /facility|syslog|journal/.test(beside))) {
    return 'syslog';
  }
  if (isUpward) {
    return 'five is worst';
  }
  const isDownward = isCompared && Math.min(...over) > Math.max(...failing);
  return isDownward || COUNTED_FROM_ONE.test(name) ? 'one is worst' : null;
}

/** Where critical, error and warning begin. */
const STEPS: Readonly<
  Record<NumberScale, { readonly than: '<=' | '>='; readonly at: readonly [number, number, number] }>
> = {
  'one is worst': { than: '<=', at: [1, 2, 3] },
  syslog: { than: '<=', at: [2, 3, 4] },
  'five is worst': { than: '>=', at: [5, 3, 2] },
  'hundred is worst': { than: '>=', at: [80, 60, 30] },
};

/** An expression that reads a number by its scale. @param value an expression that gives a number or its digits */
export function severityExpression(value: string, scale: NumberScale): string {
  const { than, at } = STEPS[scale];
  const [critical, error, warning] = at.map((limit) => `double(${value}) ${than} ${limit}.0`);
  return `${critical} ? "critical" : ${error} ? "error" : ${warning} ? "warning" : "info"`;
}

/** Whether a number is of so little weight that nothing opens. */
export function isOnlyInfo(value: number, scale: NumberScale): boolean {
  const { than, at } = STEPS[scale];
  return than === '<=' ? value > at[2] : value < at[2];
}
