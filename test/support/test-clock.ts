/** The machine's clock with an offset that a test can increase. */
export interface TestClock {
  readonly now: () => Date;
  advance(ms: number): void;
}

export function createTestClock(): TestClock {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    advance(ms) {
      aheadMs += ms;
    },
  };
}
