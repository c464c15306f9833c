import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anySignals, calls, signal } from '../../../test/support/signal-builders.ts';
import { Correlation } from '../../contract/resources.ts';
import type { ServiceCall, StoredSignal } from '../core/signal.ts';
import { explainIncident } from './explain.ts';

describe('the root of an incident', () => {
  it('is the deepest failing service', () => {
    const signals = [
      signal({ service: 'web', summary: 'POST /buy fails (HTTP 502)', atSeconds: 0 }),
      signal({ service: 'checkout', atSeconds: 1 }),
      signal({
        service: 'payments',
        summary: 'POST /charge fails (connection refused)',
        atSeconds: 2,
        occurrences: 41,
      }),
    ];
    const graph = [...calls('web', 'checkout', 9), ...calls('checkout', 'payments', 9), ...calls('payments', 'bank')];

    const { rootService, title, severity, correlation } = explainIncident(signals, graph);

    expect(rootService).toBe('payments');
    expect(title).toBe('payments: POST /charge fails (connection refused)');
    expect(severity).toBe('error');
    expect(correlation.services).toEqual([
      { name: 'payments', signals: 1, is_root: true, score: expect.any(Number) },
      { name: 'checkout', signals: 1, is_root: false, score: expect.any(Number) },
      { name: 'web', signals: 1, is_root: false, score: expect.any(Number) },
    ]);
    expect(correlation.edges).toEqual([
      { from: 'checkout', to: 'payments', calls: 10, errors: 9 },
      { from: 'web', to: 'checkout', calls: 10, errors: 9 },
    ]);
    expect(correlation.window).toEqual({ from: '2026-01-31T08:00:00.000Z', to: '2026-01-31T08:00:02.000Z' });
    expect(correlation.evidence).toEqual([
      'payments: POST /charge fails (connection refused), 41 times',
      'web and checkout fail too, and their calls lead to payments',
      'no failures in services that payments calls: bank',
    ]);
    expect(correlation.confidence).toBeGreaterThan(0.5);
  });

  it('is a slow database whose callers time out', () => {
    const signals = [
      signal({ service: 'orders', attributes: { 'peer.service': 'db' } }),
      signal({ service: 'db', type: 'metric', severity: 'warning', atSeconds: 60 }),
    ];

    expect(explainIncident(signals, calls('orders', 'db')).rootService).toBe('db');
  });

  it('is not a slow service whose caller fails for another reason', () => {
    const signals = [
      signal({ service: 'orders', attributes: {} }),
      signal({ service: 'db', type: 'metric', severity: 'warning' }),
    ];

    expect(explainIncident(signals, calls('orders', 'db', 0)).rootService).toBe('orders');
  });

  it('is the dependency with more callers, then the one that failed first, then the one that failed most often', () => {
    const graph = [...calls('web', 'a', 1), ...calls('api', 'b', 1), ...calls('web', 'b', 1)];
    const at = (service: string, atSeconds: number, occurrences = 1) => signal({ service, atSeconds, occurrences });

    const byCredit = [at('a', 0, 99), at('b', 5), at('web', 6), at('api', 6)];
    const byTime = [at('a', 1, 99), at('b', 0)];
    const byCount = [at('a', 0), at('b', 0, 2)];

    expect(explainIncident(byCredit, graph).rootService).toBe('b');
    expect(explainIncident(byTime, graph).rootService).toBe('b');
    expect(explainIncident(byCount, graph).rootService).toBe('b');
  });

  it('is found in a cycle of calls too', () => {
    const graph = [...calls('a', 'b', 1), ...calls('b', 'a', 1), ...calls('web', 'a', 1)];
    const signals = ['web', 'b', 'a'].map((service, atSeconds) => signal({ service, atSeconds }));

    expect(explainIncident(signals, graph).rootService).toBe('b');
  });

  it('may be a dead service: all its callers report failed calls to it', () => {
    const complain = (service: string) =>
      signal({
        service,
        summary: 'POST to bank fails (bank cannot be reached)',
        attributes: { 'peer.service': 'bank' },
      });
    const signals = [complain('payments'), complain('refunds'), signal({ service: 'web', atSeconds: -5 })];
    const graph = [...calls('payments', 'bank', 9), ...calls('refunds', 'bank', 9), ...calls('web', 'payments', 9)];

    const { rootService, title, correlation } = explainIncident(signals, graph);

    expect(rootService).toBe('bank');
    expect(title).toBe('bank: POST to bank fails (bank cannot be reached)');
    expect(correlation.services[0]).toMatchObject({ name: 'bank', signals: 0, is_root: true });
    expect(correlation.evidence[0]).toBe(
      'bank reports nothing itself, but calls to it fail in every service that makes them: payments and refunds',
    );
  });

  it.each([
    ['another caller can still reach', {}, calls('refunds', 'bank')],
    ['answered with an error of the caller', { 'http.response.status_code': 400 }, []],
  ])('is not a service that %s', (_, attributes, graph) => {
    const signals = [signal({ service: 'payments', attributes: { 'peer.service': 'bank', ...attributes } })];

    expect(explainIncident(signals, [...calls('payments', 'bank', 9), ...graph]).rootService).toBe('payments');
  });

  it('is not a service that only one of many failures names', () => {
    const signals = [
      signal({ service: 'payments', occurrences: 40 }),
      signal({ service: 'payments', attributes: { 'peer.service': 'bank' } }),
    ];

    expect(explainIncident(signals, calls('payments', 'bank', 1)).rootService).toBe('payments');
  });

  it('is marked as unsure when another service is as likely', () => {
    const { correlation } = explainIncident([signal({ service: 'a' }), signal({ service: 'b' })], []);

    expect(correlation.confidence).toBe(0);
    expect(correlation.evidence.at(-1)).toBe('unsure: b may be the root too');
  });

  it('needs a signal', () => {
    expect(() => explainIncident([], [])).toThrow(RangeError);
  });
});

describe('the title of an incident', () => {
  it('uses the worst signal of the root, then the one that names the operation', () => {
    const signals = [
      signal({ type: 'metric', summary: 'slow', severity: 'warning' }),
      signal({ type: 'log', summary: 'it failed', occurrences: 99 }),
      signal({ type: 'trace', summary: 'POST /charge fails' }),
    ];
    const fatal = signal({ type: 'log', summary: 'out of memory', severity: 'critical' });

    expect(explainIncident(signals, []).title).toBe('payments: POST /charge fails');
    expect(explainIncident([...signals, fatal], [])).toMatchObject({
      title: 'payments: out of memory',
      severity: 'critical',
    });
  });

  it('stays while two failures are about as frequent, and changes for one that is far more frequent', () => {
    const first = signal({ summary: 'GET /stock fails', occurrences: 10 });
    const title = (occurrences: number) => {
      const second = signal({ summary: 'POST /reserve fails', atSeconds: 1, occurrences });
      return explainIncident([first, second], []).title;
    };

    expect([9, 11, 39, 40].map(title)).toEqual([
      'payments: GET /stock fails',
      'payments: GET /stock fails',
      'payments: GET /stock fails',
      'payments: POST /reserve fails',
    ]);
  });

  it('has at most 120 characters', () => {
    const { title } = explainIncident([signal({ service: 's'.repeat(200) })], []);

    expect(title).toHaveLength(120);
  });
});

describe('every explanation', () => {
  it('matches the contract, has a root among its services and does not depend on the order of its input', () => {
    fc.assert(
      fc.property(anySignals({ minLength: 1 }), fc.infiniteStream(fc.nat()), ({ signals, graph }, seeds) => {
        const explanation = explainIncident(signals, graph);
        const { correlation, rootService, title } = explanation;

        expect(Correlation.parse(correlation)).toEqual(correlation);
        expect(correlation.services.filter((service) => service.is_root)).toMatchObject([{ name: rootService }]);
        expect(correlation.services[0]?.name).toBe(rootService);
        expect(new Set(correlation.services.map(({ name }) => name)).size).toBe(correlation.services.length);
        expect(correlation.services.reduce((sum, service) => sum + service.signals, 0)).toBe(signals.length);
        expect(correlation.confidence).toBeGreaterThanOrEqual(0);
        expect(correlation.confidence).toBeLessThanOrEqual(1);
        expect(title.length).toBeLessThanOrEqual(120);
        expect(explainIncident(shuffle(signals, seeds), shuffle(graph, seeds))).toEqual(explanation);
      }),
    );
  });

  it('of hundreds of services is found in time', () => {
    const names = Array.from({ length: 300 }, (_, index) => `service-${index}`);
    const graph: ServiceCall[] = names.flatMap((from, index) =>
      names.slice(index + 1, index + 11).map((to) => ({ from, to, calls: 1, errors: 1 })),
    );
    const signals: StoredSignal[] = names.map((service) => signal({ service }));
    const startedAt = performance.now();

    const { rootService } = explainIncident(signals, graph);

    expect(rootService).toBe('service-299');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

function shuffle<T>(items: readonly T[], seeds: Iterator<number>): T[] {
  return items
    .map((item) => ({ item, seed: Number(seeds.next().value) }))
    .toSorted((a, b) => a.seed - b.seed)
    .map(({ item }) => item);
}
