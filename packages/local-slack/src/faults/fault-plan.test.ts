import { expect, it } from 'vitest';
import { type FaultPlan, followPlan, PLANNED_FAULTS } from './fault-plan.ts';

const PLAN: FaultPlan = { seed: 'a day', rate: 0.3, kinds: PLANNED_FAULTS };

function fiveHundred(plan: FaultPlan, method: string) {
  const faults = followPlan(plan);
  return Array.from({ length: 500 }, () => {
    return faults.forCall(method);
  });
}

it('meets the same calls with the same faults for one seed, and with others for another', () => {
  const day = fiveHundred(PLAN, 'chat.postMessage');

  expect(fiveHundred(PLAN, 'chat.postMessage')).toEqual(day);
  expect(fiveHundred({ ...PLAN, seed: 'another day' }, 'chat.postMessage')).not.toEqual(day);
});

it('does not let what is called in between change what a call meets', () => {
  const faults = followPlan(PLAN);
  const mixed = Array.from({ length: 500 }, (_, index) => {
    faults.dropsAck();
    if (index % 3 === 0) {
      faults.forCall('chat.update');
    }
    return faults.forCall('chat.postMessage');
  });

  expect(mixed).toEqual(fiveHundred(PLAN, 'chat.postMessage'));
});

it('meets about as many calls as its rate says, with every kind that it names and no other', () => {
  const met = fiveHundred({ ...PLAN, kinds: ['latency', 'rate_limited', 'dropped-ack'] }, 'chat.update').filter(
    (fault) => fault !== null,
  );

  expect(met.length).toBeGreaterThan(100);
  expect(met.length).toBeLessThan(200);
  expect(new Set(met.map(({ kind }) => kind))).toEqual(new Set(['latency', 'rate_limited']));
});

it('leaves methods alone that it does not name, and everything at rate 0', () => {
  const none = Array.from({ length: 500 }, () => null);

  expect(fiveHundred({ ...PLAN, rate: 1, methods: ['chat.postMessage'] }, 'auth.test')).toEqual(none);
  expect(fiveHundred({ ...PLAN, rate: 0 }, 'auth.test')).toEqual(none);
});
