import { RARELY } from './constants.ts';

/** Requests of one kind. */
export interface Outcomes {
  readonly lost: number;
  readonly well: number;
}

/**
 * Log of the Bayes factor of two hypotheses: requests are lost with something and hardly without it, in whatever share; or with and
 * without it alike.
 */
export function contrast(including: Outcomes, excluding: Outcomes): number {
  const all = { lost: including.lost + excluding.lost, well: including.well + excluding.well };
  const rarely = logBeta(1 + excluding.lost, RARELY + excluding.well) - logBeta(1, RARELY);
  return logOfAnyShare(including) + rarely - logOfAnyShare(all);
}

/** Log of the probability of these outcomes in this order, if each share of losses is as likely as any other. */
export function logOfAnyShare({ lost, well }: Outcomes): number {
  return logBeta(lost + 1, well + 1);
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/** Stirling's series, for arguments from 8 on exact to nine digits; smaller ones by recurrence. */
function logGamma(x: number): number {
  let [shifted, product] = [x, 1];
  while (shifted < 8) {
    product *= shifted;
    shifted += 1;
  }
  const inverse = 1 / shifted;
  const series = inverse / 12 - inverse ** 3 / 360 + inverse ** 5 / 1_260;
  return (shifted - 0.5) * Math.log(shifted) - shifted + Math.log(2 * Math.PI) / 2 + series - Math.log(product);
}
