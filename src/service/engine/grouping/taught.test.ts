import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evidence } from '../../../../test/support/evidence.ts';
import type { Evidence } from '../../core/evidence.ts';
import type { Family } from '../../core/telemetry-item.ts';
import { addCalls, createCallGraph, neighboursAt } from '../graph/call-graph.ts';
import { createIncident, type Incident, join } from './incident.ts';
import { learntRoot, type RootLesson, taughtByRoots } from './taught.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const DAY = 86_400_000;

describe('a root that was set by hand', () => {
  it('is the root when the same kinds of evidence come again', () => {
    const lesson = lessonOf(incident(1, 'payments', [lost('payments', 0.4), cpu('orders')]), 'orders');

    const learnt = learntRoot(incident(2, 'payments', [lost('payments', 0.5), cpu('orders')]), [lesson]);

    expect(learnt).toMatchObject({ root: 'orders', lesson: { incident: 1 } });
    expect(learnt?.confidence).toBeCloseTo(2 / 3);
  });

  it('leaves the incident alone that taught it, so that the found root is shown beside the one by hand', () => {
    const same = incident(1, 'payments', [lost('payments', 0.4), cpu('orders')]);

    expect(learntRoot(same, [lessonOf(same, 'orders')])).toBeNull();
  });

  it('teaches by what a caller shows of its own, not by what the failure below it causes', () => {
    const before = incident(1, 'payments', [lost('payments', 0.4), callsOf('web'), deployed('web')]);

    const [taught] = taughtByRoots(before, 'payments', graph());

    expect(taught).toMatchObject({ root: 'web', rootShows: ['a deployment'] });
  });

  it('teaches by failing calls where a caller shows nothing else', () => {
    const [taught] = taughtByRoots(
      incident(1, 'payments', [lost('payments', 0.4), callsOf('web')]),
      'payments',
      graph(),
    );

    expect(taught).toMatchObject({ root: 'web', rootShows: ['failed calls'] });
  });

  it('has ended after its time', () => {
    const lesson = {
      ...lessonOf(incident(1, 'payments', [lost('payments', 0.4), cpu('orders')]), 'orders'),
      until: NOW,
    };

    expect(learntRoot(incident(2, 'payments', [lost('payments', 0.4), cpu('orders')]), [lesson])).toBeNull();
  });

  it('counts how often people said so, and the newest decides', () => {
    const found = incident(9, 'payments', [lost('payments', 0.4), cpu('orders')]);
    const [first, second] = [1, 2].map((number) =>
      lessonOf(incident(number, 'payments', [lost('payments', 0.4), cpu('orders')]), 'orders'),
    );
    const shownOrders = incident(3, 'payments', [lost('payments', 0.4), cpu('orders')]);
    const [back] = taughtByRoots(shownOrders, 'orders', graph());
    expect.assert(first && second && back);

    expect(learntRoot(found, [first, second])?.confidence).toBeCloseTo(3 / 4);
    expect(back).toMatchObject({ found: 'orders', root: 'payments' });
    expect(learntRoot(found, [first, second, { ...first, id: 'les_3', incident: 3, taught: back }])).toBeNull();
  });

  it('never changes an incident whose root is neither of the two, whatever its evidence', () => {
    fc.assert(
      fc.property(fc.constantFrom('web', 'search', 'catalog'), anyEvidence, (root, all) => {
        const lesson = lessonOf(incident(1, 'payments', [lost('payments', 1), cpu('orders')]), 'orders');

        expect(learntRoot(incident(2, root, all), [lesson])).toBeNull();
      }),
    );
  });

  it('never names a service that shows nothing in the incident', () => {
    fc.assert(
      fc.property(anyEvidence, (all) => {
        const healthy = all.filter(({ service }) => service !== 'orders');
        const lesson = lessonOf(incident(1, 'payments', [lost('payments', 1), cpu('orders')]), 'orders');

        expect(learntRoot(incident(2, 'payments', [lost('payments', 1), ...healthy]), [lesson])).toBeNull();
      }),
    );
  });

  it('stays with the found root that is clearly worse than when it was taught', () => {
    const share = fc.double({ min: 0.01, max: 0.6, noNaN: true });
    fc.assert(
      fc.property(share, (then) => {
        const lesson = lessonOf(incident(1, 'payments', [lost('payments', then), callsOf('web')]), 'web');
        const outage = incident(2, 'payments', [lost('payments', 1), callsOf('web')]);

        expect(learntRoot(outage, [lesson])).toBeNull();
      }),
    );
  });
});

const FAMILIES = ['harmed_requests', 'resource', 'error_log', 'failed_calls', 'change'] as const satisfies Family[];
const anyEvidence = fc.array(
  fc
    .tuple(
      fc.constantFrom('web', 'payments', 'orders', 'search'),
      fc.constantFrom(...FAMILIES),
      fc.constantFrom('cpu', 'x'),
    )
    .map(([service, family, subject]) => evidence({ service, family, subject, at: NOW })),
  { maxLength: 12 },
);

function lost(service: string, share: number): Evidence {
  const requests = { requests: Math.round(1_000 * share), failed: Math.round(1_000 * share), total: 1_000 };
  const rest = { kind: 'error', extraMs: 0, perMinute: 1, path: [] } as const;
  return evidence({
    service,
    family: 'harmed_requests',
    subject: '',
    strength: 1.5,
    at: NOW,
    lost: { ...requests, ...rest },
  });
}

function cpu(service: string): Evidence {
  return evidence({ service, family: 'resource', subject: 'cpu', at: NOW });
}

function callsOf(service: string): Evidence {
  return evidence({ service, peer: 'payments', family: 'failed_calls', subject: '', at: NOW });
}

function deployed(service: string): Evidence {
  return evidence({ service, family: 'change', subject: '2.0.1', strength: 0.8, at: NOW });
}

function graph() {
  const calls = createCallGraph();
  addCalls(calls, 'key', { caller: 'web', callee: 'payments', calls: 10, failed: 0 }, NOW);
  return neighboursAt(calls, NOW);
}

function incident(number: number, root: string, all: readonly Evidence[]): Incident {
  const created = createIncident(number, NOW, root, null);
  for (const each of all) {
    join(created, each, NOW);
  }
  return created;
}

function lessonOf(from: Incident, root: string): RootLesson {
  const taught = taughtByRoots(from, from.root, graph()).find((each) => each.root === root);
  expect.assert(taught);
  return { id: `les_${from.number}`, incident: from.number, at: NOW, until: NOW + 90 * DAY, taught };
}
