import { describe, expect, it } from 'vitest';
import type { AlertItem } from '../../core/telemetry-item.ts';
import { createEngineState, observe, takeAlerts } from '../engine.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');

describe('an alert that fires again and again', () => {
  it.each([
    ['keeps its rarity when it opens an incident each time', 0.9, 1],
    ['becomes less rare when it is too weak to open an incident', 0.2, 0.9],
  ])('%s', (_, strength, most) => {
    const state = createEngineState();
    const rarities = Array.from({ length: 12 }, (_one, index) => {
      observe(state, alert(START + index * 20 * MINUTE, strength));
      return takeAlerts(state)[0]?.rarity ?? 0;
    });

    expect(rarities[0]).toBe(1);
    expect(rarities.at(-1)).toBeLessThanOrEqual(most);
    expect(rarities.at(-1)).toBeGreaterThan(most === 1 ? 0.99 : 0);
  });
});

function alert(at: number, strength: number): AlertItem {
  const about = { service: 'payments', instance: null, peer: null, traceId: null, hasEnded: null } as const;
  return { kind: 'alert', at, fingerprint: 'disk', family: 'alert', subject: 'disk', strength, ...about };
}
