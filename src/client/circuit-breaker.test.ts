import { expect, it } from 'vitest';
import { createCircuitBreaker } from './circuit-breaker.ts';

function start() {
  let clock = 0;
  const breaker = createCircuitBreaker(() => clock);
  const pass = (ms: number) => {
    clock += ms;
  };
  const fail = (times: number) => {
    for (let time = 0; time < times; time += 1) {
      breaker.ended(false);
    }
  };
  return { breaker, pass, fail };
}

it('allows calls until three in a row have failed', () => {
  const { breaker, fail } = start();

  fail(2);
  breaker.ended(true);
  fail(2);

  expect(breaker.admit()).toBe(true);
});

it('opens after three failures, then allows one call and waits for its result', () => {
  const { breaker, fail, pass } = start();

  fail(3);
  expect(breaker.admit()).toBe(false);
  pass(2_000);
  expect([breaker.admit(), breaker.admit()]).toEqual([true, false]);

  breaker.ended(true);
  expect([breaker.admit(), breaker.admit()]).toEqual([true, true]);
});

it('does not extend the pause for calls that were already running when it opened', () => {
  const { breaker, fail, pass } = start();

  fail(10);
  pass(2_000);

  expect(breaker.admit()).toBe(true);
});

it('resets when a running call succeeds', () => {
  const { breaker, fail } = start();

  fail(3);
  breaker.ended(true);
  fail(3);

  expect(breaker.admit()).toBe(false);
});

it('doubles the pause after each failed probe, up to fifteen seconds', () => {
  const { breaker, fail, pass } = start();
  fail(3);

  const pauses = [];
  for (let probe = 0; probe < 6; probe += 1) {
    let waited = 0;
    while (!breaker.admit()) {
      pass(500);
      waited += 500;
    }
    pauses.push(waited);
    breaker.ended(false);
  }

  expect(pauses).toEqual([2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});
