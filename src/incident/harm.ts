import type { Correlation, Harm } from '../contract/resources.ts';
import { type Phrase, plural } from './phrase.ts';
import { possibleRoots } from './root.ts';

/** Requests are the one unit in which people are told how bad it is. */

/** "412 of 900 requests failed, 3 slow since 09:02, now 61 a minute"; empty: no request is known to be lost. */
export function harmPhrase(harm: Harm | null | undefined): Phrase {
  if (harm === null || harm === undefined || harm.requests === 0) {
    return [];
  }
  const { since, per_minute: perMinute } = harm;
  const now = perMinute > 0 ? `, now ${perMinute.toLocaleString('en')} a minute` : '';
  return [`${harmCount(harm)} since `, { at: since, as: 'time' }, now];
}

/**
 * "412 of 900 requests failed, 3 slow": the one count of a failure, wherever it is shown. Slow requests are lost to people
 * too, but they did not fail. Empty: no request is known to be lost.
 */
export function harmCount(harm: Pick<Harm, 'requests' | 'total' | 'failed'> | null | undefined): string {
  if (harm === null || harm === undefined || harm.requests === 0) {
    return '';
  }
  const { requests, failed } = harm;
  const of = `of ${plural(Math.max(harm.total, requests), 'request')}`;
  const slow = (requests - failed).toLocaleString('en');
  if (failed === 0) {
    return `${slow} ${of} ${requests === 1 ? 'was' : 'were'} slow`;
  }
  return `${failed.toLocaleString('en')} ${of} failed${failed < requests ? `, ${slow} slow` : ''}`;
}

/** Whether what requests met at a place is a failure rather than slowness. */
export function hasMostlyFailed({ requests, failed }: Pick<Harm, 'requests' | 'failed'>): boolean {
  return failed * 2 >= requests;
}

/** "came back 2 times"; empty: it did not. */
export function comebackWords(timesBack: number): string {
  return timesBack === 0 ? '' : `came back ${plural(timesBack, 'time')}`;
}

/** From this confidence on, in percent, a root is called so. Below the last it is only possible. */
const LIKELIHOODS = [
  [80, 'very likely'],
  [50, 'likely'],
] as const;

/** "very likely (93 % sure)": the one number for how sure Tocsin is of a root, words first. */
export function confidenceWords(correlation: Pick<Correlation, 'confidence' | 'candidates'>): string {
  const percent = Math.round(correlation.confidence * 100);
  const isUnsure = possibleRoots(correlation).length > 0;
  return `${isUnsure ? 'unsure' : likelihood(percent)} (${percent} % sure)`;
}

/** @param percent of the confidence in a root that is named as the only one */
export function likelihood(percent: number): string {
  return LIKELIHOODS.find(([from]) => percent >= from)?.[1] ?? 'possibly';
}
