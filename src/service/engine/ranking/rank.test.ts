import { describe, expect, it } from 'vitest';
import { evidence as anyEvidence } from '../../../../test/support/evidence.ts';
import type { Evidence } from '../../core/evidence.ts';
import { addCalls, createCallGraph, neighboursAt } from '../graph/call-graph.ts';
import { addEvidence, type EvidenceSums, removeEvidence } from './evidence-sums.ts';
import { rank } from './rank.ts';
import { UNSURE_BELOW } from './weights.ts';

const CHAIN = ['web', 'checkout', 'payments'] as const;

describe('a ranking', () => {
  it('charges failed calls to the callee', () => {
    const { candidates } = rankOf(failing('web', 'checkout'), failing('checkout', 'payments'));

    expect(candidates[0]?.service).toBe('payments');
  });

  it('lets evidence outweigh depth', () => {
    const deep = evidence({ service: 'payments', family: 'self_time', strength: 0.3 });
    const own = evidence({ service: 'checkout', family: 'new_error_log' });

    expect(rankOf(deep, own).candidates[0]?.service).toBe('checkout');
  });

  it('gives less weight to evidence that also fires in quiet time', () => {
    const noise = evidence({ service: 'web', family: 'new_error_log', rarity: 0.05 });
    const news = evidence({ service: 'checkout', family: 'error_log' });

    expect(rankOf(noise, news).candidates[0]?.service).toBe('checkout');
  });

  it('credits a callee only with what its own evidence causes at its callers', () => {
    const fails = evidence({ service: 'checkout', family: 'failure_metric' });
    const slow = evidence({ service: 'payments', family: 'slow_trace', subject: 'charge' });

    expect(rankOf(fails, slow).candidates.map(({ service }) => service)).toEqual(['checkout', 'payments']);
    expect(rankOf(fails, slow).candidates.map(({ score, own }) => score - own)).toEqual([0, 0]);
  });

  it.each(['latency_metric', 'failure_metric', 'alert', 'error_log', 'new_error_log'] as const)(
    'takes the %s of a caller for less when its callee shows the same',
    (family) => {
      const strong = evidence({ service: 'checkout', family });
      const further = evidence({ service: 'checkout', family: 'change', strength: 0.1 });
      const callee = evidence({ service: 'payments', family, strength: 0.9 });

      const [alone] = rankOf(strong, further).candidates;
      const [first, second] = rankOf(strong, further, callee).candidates;

      expect([alone?.service, first?.service]).toEqual(['checkout', 'payments']);
      expect(second?.own).toBeLessThan((alone?.own ?? 0) * 0.7);
    },
  );

  it('takes several metrics of the same latency for one observation', () => {
    const often = ['p50', 'p95', 'p99'].map((subject) =>
      evidence({ service: 'web', family: 'latency_metric', subject, strength: 0.9 }),
    );
    const once = evidence({ service: 'other', family: 'latency_metric', subject: 'mean' });

    expect(rankOf(...often, once).candidates.map(({ service }) => service)).toEqual(['other', 'web']);
  });

  it('falls back to the next metric of a latency when the strongest is removed', () => {
    const mild = evidence({ service: 'web', family: 'latency_metric', strength: 0.5 });
    const strong = evidence({ service: 'web', family: 'latency_metric' });
    const sums: EvidenceSums = new Map();
    addEvidence(sums, mild);
    addEvidence(sums, strong);

    removeEvidence(sums, strong);

    expect(rank(sums, graph())).toEqual(rankOf(mild));
  });

  it('finds the slow network of a service by the share of its edges', () => {
    const gaps = [
      evidence({ service: 'web', peer: 'checkout', family: 'network_gap' }),
      evidence({ service: 'checkout', peer: 'payments', family: 'network_gap' }),
    ];

    expect(rankOf(...gaps).candidates[0]?.service).toBe('checkout');
  });

  it('prefers a service with one odd instance to a service whose instances are all odd', () => {
    const one = ['cpu', 'memory'].map((subject) =>
      evidence({ service: 'web', instance: 'web-1', family: 'resource', subject }),
    );
    const all = [1, 2].map((n) => evidence({ service: 'payments', instance: `payments-${n}`, family: 'resource' }));

    expect(rankOf(...one, ...all).candidates[0]?.service).toBe('web');
  });

  it('prefers one odd instance to instances that are all as odd', () => {
    const one = evidence({ service: 'payments', instance: 'payments-1', family: 'resource', strength: 0.8 });
    const quiet = evidence({ service: 'payments', instance: 'payments-2', family: 'latency_metric', strength: 0.01 });
    const alike = [1, 2].map((n) => evidence({ service: 'web', instance: `web-${n}`, family: 'resource' }));

    expect(rankOf(one, quiet, ...alike).candidates[0]?.service).toBe('payments');
  });

  it('is unsure when the only evidence is weak', () => {
    const weak = evidence({ service: 'web', family: 'self_time', strength: 0.1 });

    expect(rankOf(weak).confidence).toBeLessThan(UNSURE_BELOW);
  });

  it('ignores evidence that was removed', () => {
    const sums: EvidenceSums = new Map();
    const gone = evidence({ service: 'web', family: 'resource' });
    addEvidence(sums, gone);

    removeEvidence(sums, gone);

    expect(rank(sums, graph()).candidates).toEqual([]);
  });
});

function graph() {
  const calls = createCallGraph();
  addCalls(calls, 'key', { caller: CHAIN[0], callee: CHAIN[1], calls: 10, failed: 0 }, 0);
  addCalls(calls, 'key', { caller: CHAIN[1], callee: CHAIN[2], calls: 10, failed: 0 }, 0);
  return neighboursAt(calls, 0);
}

function rankOf(...all: readonly Evidence[]) {
  const sums: EvidenceSums = new Map();
  for (const one of all) {
    addEvidence(sums, one);
  }
  return rank(sums, graph());
}

function failing(service: string, peer: string): Evidence {
  return evidence({ service, peer, family: 'failed_calls' });
}

function evidence(given: Partial<Evidence>): Evidence {
  const about = { origin: 'trace', service: 'web', subject: '', count: 1 } as const;
  return anyEvidence({ fingerprint: JSON.stringify(given), ...about, ...given });
}
