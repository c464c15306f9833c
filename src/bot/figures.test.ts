import { describe, expect, it } from 'vitest';
import { createFigures } from './figures.ts';

describe('the figures', () => {
  it('give the lag by nearest rank, of the last changes only', () => {
    const figures = createFigures();
    const before = figures.read().lag;
    for (let lagMs = 1; lagMs <= 600; lagMs += 1) {
      figures.cardShown(lagMs);
    }

    expect(before).toBeNull();
    expect(figures.read().lag).toEqual({ p50Ms: 350, p95Ms: 575, changes: 500 });
    expect(figures.read().cardsShown).toBe(600);
  });
});
