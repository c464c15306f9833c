/** The highest value of an axis: 1, 2 or 5 times a power of ten, so that its ticks are round. */
export function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 5, 10].map((step) => step * power).find((ceiling) => ceiling >= value) ?? 10 * power;
}

/** One decimal: enough for a pixel, and short. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
