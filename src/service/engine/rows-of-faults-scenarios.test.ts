import { expect, it } from 'vitest';
import { incidentsIn } from '../../../test/support/feed-engine.ts';
import { seededRandom } from '../../../test/support/seeded-random.ts';
import { fractionOf, leadsTo, SHOP_SERVICES, simulateShop } from '../../../test/support/simulated-shop.ts';
import { advance, createEngineState, observe } from './engine.ts';
import type { CorrelationEvent } from './grouping/correlation-state.ts';

/**
 * Rows of faults that nobody chose: at any place, from the first seconds on, one after the other at once or later, of all requests or
 * of some, in busy and quiet shops, whose services each report in a time of their own.
 */

const SECOND = 1_000;
const SLOT = 5 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
/** Every request comes in at `web`: of what it loses by itself, nobody tells. */
const PLACES = SHOP_SERVICES.filter((service) => service !== 'web');
/** A fault of fewer requests may end before it is beyond chance. */
const LEAST_LOST = 25;
/** A caller that begins to fail without calling its callee, which failed until then, may have a breaker that is open. */
const BREAKER_MS = 90 * SECOND;

interface Fault {
  readonly service: string;
  readonly from: number;
  readonly to: number;
  readonly share: number;
}

it.each(Array.from({ length: 24 }, (_, seed) => seed))(
  'each fault of row %i opens one incident, with what it lost',
  (seed) => {
    const random = seededRandom(seed);
    const between = (least: number, most: number) => least + random() * (most - least);
    const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
    const requestEveryMs = pick([60, 100, 200, 500]);
    const faults: Fault[] = [];
    let at = START + SECOND * (random() < 0.4 ? between(0, 30) : between(30, 300));
    for (const service of [pick(PLACES), pick(PLACES), pick(PLACES)].filter(
      (each, index, all) => all.indexOf(each) === index,
    )) {
      const last = faults.at(-1);
      if (last !== undefined && leadsTo(service, last.service)) {
        at = Math.max(at, last.to + BREAKER_MS);
      }
      const to = at + SECOND * between(30, 90);
      faults.push({ service, from: at, to, share: random() < 0.5 ? 1 : between(0.4, 1) });
      at = to + (random() < 0.5 ? 0 : SECOND * between(0, 60));
    }
    const lateMs = new Map(
      SHOP_SERVICES.map((service) => [service, random() < 0.5 ? between(500, 2_000) : between(0, 9_000)]),
    );
    const lost = new Map<string, number>();
    const items = simulateShop({
      from: START,
      to: at + 40 * SECOND,
      requestEveryMs,
      isBroken: (service, when) => {
        const fault = faults.find((each) => each.service === service && when >= each.from && when < each.to);
        const isHit = fault !== undefined && fractionOf(when, service) < fault.share;
        lost.set(service, (lost.get(service) ?? 0) + (isHit ? 1 : 0));
        return isHit;
      },
    });
    const arrivals = items
      .map((item) => ({ item, at: item.at + (lateMs.get(item.service) ?? 0) }))
      .toSorted((a, b) => a.at - b.at);

    const state = createEngineState();
    const events: CorrelationEvent[] = [];
    let next = 0;
    for (let slot = START + SLOT; slot <= at + 40 * SECOND; slot += SLOT) {
      for (let arrival = arrivals[next]; arrival !== undefined && arrival.at < slot; arrival = arrivals[next]) {
        observe(state, arrival.item);
        next += 1;
      }
      events.push(...advance(state, slot));
    }

    const found = incidentsIn(events).filter(({ mergedInto }) => mergedInto === null);
    const told = found.map(({ root, lost: harm }) => `${root}: ${(harm?.requests ?? 0) > 0}`);
    const few = faults.filter(({ service }) => (lost.get(service) ?? 0) < LEAST_LOST).map(({ service }) => service);
    const expected = faults
      .map(({ service }) => service)
      .filter((service) => !few.includes(service) || found.some(({ root }) => root === service));
    expect(told.toSorted()).toEqual(expected.map((service) => `${service}: true`).toSorted());
  },
);
