import { expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { type ShopSettings, simulateShop } from '../../../test/support/simulated-shop.ts';
import type { TelemetryItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAILS_AT = START + 2 * MINUTE;
const END = START + 6 * MINUTE;

type Fault = Omit<ShopSettings, 'from' | 'to'>;

const during =
  (root: string) =>
  (service: string, at: number): boolean =>
    service === root && at >= FAILS_AT;
const never = () => false;

/** The faults of the example shop, with where each is. */
const FAULTS: readonly (readonly [name: string, root: string, fault: Fault])[] = [
  ['every charge fails', 'payments', { isBroken: during('payments') }],
  ['a slow database', 'orders-db', { isBroken: during('orders-db'), failsAfterMs: 1_200 }],
  ['an error burst in a leaf', 'inventory', { isBroken: during('inventory'), failingShare: 0.6 }],
  ['a dependency of two callers', 'bank-gateway', { isBroken: during('bank-gateway') }],
  ['a process that is gone', 'orders-db', { isBroken: never, isGone: during('orders-db') }],
  [
    'a slow network',
    'catalog',
    { isBroken: never, wayMs: (service, at) => (during('catalog')(service, at) ? 600 : 0) },
  ],
  ['a vendor without telemetry', 'bank-gateway', { isBroken: never, isGone: during('bank-gateway') }],
  ['one of two instances', 'catalog', { isBroken: during('catalog'), failingShare: 0.5 }],
  ['the edge', 'web', { isBroken: during('web') }],
  ['steady noise', 'checkout', { isBroken: during('checkout'), failingShare: 0.02 }],
];

/** The roots of the incidents that are left. @param declaredAt when a person declares one of that service; null: never */
function rootsOf(fault: Fault, service: string, declaredAt: number | null): string[] {
  const declared: TelemetryItem[] =
    declaredAt === null ? [] : [{ ...DECLARED, service, at: declaredAt, fingerprint: `declared ${service}` }];
  const items = [...simulateShop({ from: START, to: END, requestEveryMs: 200, ...fault }), ...declared];
  const inOrder = items.filter(({ at }) => at < END).toSorted((one, other) => one.at - other.at);
  const incidents = incidentsIn(feedEngine(createEngineState(), inOrder, END));
  return incidents.filter(({ mergedInto }) => mergedInto === null).map(({ root }) => root);
}

const DECLARED = {
  kind: 'alert',
  instance: null,
  family: 'alert',
  peer: null,
  subject: 'cards are refused',
  strength: 1,
  traceId: null,
  hasEnded: false,
} as const;

it.each(FAULTS)('%s: declared and detected are one incident, whichever was first', (_name, root, fault) => {
  expect(rootsOf(fault, root, FAILS_AT - 30_000)).toEqual([root]); // before anything was seen
  expect(rootsOf(fault, root, FAILS_AT + 2 * MINUTE)).toEqual([root]); // long after it was detected
});

it.each(FAULTS.filter(([name]) => name !== 'steady noise'))(
  '%s: is detected if nobody declares it',
  (_name, root, fault) => {
    expect(rootsOf(fault, root, null)).toEqual([root]);
  },
);
