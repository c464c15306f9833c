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

it('lets calls through while fewer than three in a row have failed', () => {
  const { breaker, fail } = start();

  fail(2);
  breaker.ended(true);
  fail(2);

  expect(breaker.admit()).toBe(true);
});

it('refuses after three failures, then lets one call through and waits for its end', () => {
  const { breaker, fail, pass } = start();

  fail(3);
  expect(breaker.admit()).toBe(false);
  pass(2_000);
  expect([breaker.admit(), breaker.admit()]).toEqual([true, false]);

  breaker.ended(true);
  expect([breaker.admit(), breaker.admit()]).toEqual([true, true]);
});

it('waits no longer because of calls that were under way when it began to refuse', () => {
  const { breaker, fail, pass } = start();

  fail(10);
  pass(2_000);

  expect(breaker.admit()).toBe(true);
});

it('counts anew once a call that was under way is answered', () => {
  const { breaker, fail } = start();

  fail(3);
  breaker.ended(true);
  fail(3);

  expect(breaker.admit()).toBe(false);
});

it('waits longer after each probe that fails, fifteen seconds at most', () => {
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
