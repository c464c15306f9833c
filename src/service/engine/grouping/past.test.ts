import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../core/evidence.ts';
import type { AlertItem, Family } from '../../core/telemetry-item.ts';
import { close, correlateAlerts, createEngineState, type EngineState, observe, takeAlerts } from '../engine.ts';
import { addCalls } from '../graph/call-graph.ts';
import { createBystanders, discountBystander, learnBystanders } from './past.ts';

const EDGE = evidence('web', 'error_log');
const DEEP = evidence('payments', 'resource');

describe('an alert in incidents of other roots', () => {
  it('counts less the more of them it fired in', () => {
    const bystanders = createBystanders();
    const worth = [0, 10, 40].map((incidents) => {
      for (let incident = 0; incident < incidents; incident += 1) {
        learnBystanders(bystanders, new Map([['payments', 1]]), [EDGE, DEEP]);
      }
      return discountBystander(bystanders, EDGE).rarity;
    });

    expect(worth[0]).toBe(1);
    expect(worth[1]).toBeLessThan(0.5);
    expect(worth[2]).toBeLessThan(0.1);
    expect(discountBystander(bystanders, DEEP).rarity).toBe(1);
  });

  it('counts in full when it fired in incidents of its own service only, however many', () => {
    const bystanders = createBystanders();
    for (let incident = 0; incident < 100; incident += 1) {
      learnBystanders(bystanders, new Map([['web', 1]]), [EDGE]);
    }

    expect(discountBystander(bystanders, EDGE)).toBe(EDGE);
  });

  it('counts less if its own service was hardly more likely the root than another each time', () => {
    const bystanders = createBystanders();
    for (let incident = 0; incident < 20; incident += 1) {
      const roots = new Map([
        ['web', 0.55],
        ['payments', 0.45],
      ]);
      learnBystanders(bystanders, roots, [EDGE]);
    }

    expect(discountBystander(bystanders, EDGE).rarity).toBeLessThan(0.5);
  });

  it('counts in full when the engine found it itself', () => {
    const bystanders = createBystanders();
    const found: Evidence = { ...EDGE, origin: 'log' };
    for (let incident = 0; incident < 100; incident += 1) {
      learnBystanders(bystanders, new Map([['payments', 1]]), [found]);
    }

    expect(discountBystander(bystanders, found)).toBe(found);
  });
});

describe('alerts of a caller and its callee about their usage', () => {
  it('are one incident of the callee if the caller has the same alert in incidents of other callees', () => {
    const state = createEngineState();
    for (const callee of ['orders', 'payments']) {
      addCalls(state.graph, 'key', { caller: 'web', callee, calls: 100, failed: 0 }, 0);
    }
    for (let hour = 0; hour < 20; hour += 1) {
      for (const { number } of fire(state, hour, { web: 0.6, orders: 1 })) {
        close(state, number, (hour + 0.5) * HOUR_MS);
      }
    }

    expect(fire(state, 22, { web: 1, payments: 0.6 }).map(({ root }) => root)).toEqual(['payments']);
  });
});

const HOUR_MS = 3_600_000;

/** @returns the incidents that open when the alerts arrive at once, each with its strength */
function fire(state: EngineState, hour: number, strengths: Readonly<Record<string, number>>) {
  const at = hour * HOUR_MS;
  for (const [service, strength] of Object.entries(strengths)) {
    observe(state, alert(service, at, strength));
  }
  return correlateAlerts(state, at, takeAlerts(state)).flatMap(({ type, incident }) =>
    type === 'opened' ? [incident] : [],
  );
}

function alert(service: string, at: number, strength: number): AlertItem {
  const about = { service, instance: null, peer: null, subject: 'unhealthy', traceId: null, hasEnded: null } as const;
  return { kind: 'alert', ...about, at, strength, family: 'resource', fingerprint: `alert|${service}` };
}

function evidence(service: string, family: Family): Evidence {
  const about = {
    origin: 'alert',
    sender: '',
    instance: null,
    peer: null,
    subject: '',
    traceId: null,
    hasEnded: null,
  } as const;
  const values = { at: 0, strength: 1, rarity: 1, now: 1, usual: 0, count: 1 };
  return { fingerprint: `${service}|${family}`, service, family, ...about, ...values };
}
