import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { SHOP_SERVICES, type ShopSettings, simulateShop } from '../../../test/support/simulated-shop.ts';
import { spanItem } from '../../../test/support/span-item.ts';
import type { LogItem, SpanItem, TelemetryItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';
import type { CorrelationEvent } from './grouping/correlation-state.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 8 * MINUTE;
/** Services that others call. */
const CALLED = SHOP_SERVICES.filter((service) => service !== 'web');

describe('a service whose process is gone', () => {
  it.each(CALLED)('%s: is the root of one incident, from the spans of its callers alone', (gone) => {
    const isGone = (service: string, at: number) => service === gone && at >= FAULT;

    expect(rootsOf(spansOf({ isGone }))).toEqual([gone]);
  });

  it.each(['payments', 'orders-db'])(
    '%s: is the root, if its callers work in internal spans that tell no failure',
    (gone) => {
      const isGone = (service: string, at: number) => service === gone && at >= FAULT;

      expect(rootsOf(withInternalSpans(spansOf({ isGone })))).toEqual([gone]);
    },
  );
});

describe('a service that takes 400 ms longer', () => {
  it.each(SHOP_SERVICES)('%s: is the root of one incident', (slow) => {
    const slowerMs = (service: string, at: number) => (service === slow && at >= FAULT ? 400 : 0);

    expect(rootsOf(spansOf({ slowerMs }))).toEqual([slow]);
  });
});

describe('a service that became slow a minute after its first request', () => {
  it('still fails as long as it is slow', () => {
    const items = Array.from({ length: 4 * 180 }, (_, index) => {
      const at = START + index * 250;
      const durationMs = (at < START + MINUTE ? 180 : 4_000) * (0.7 + 0.6 * ((index * 0.618) % 1));
      return spanItem({ service: 'booking', at: at + durationMs, durationMs });
    });

    const events = eventsOf(items);

    const whileSlow = events.filter(({ at }) => at < START + 3 * MINUTE);
    expect(whileSlow.find(({ type }) => type === 'opened')?.incident.root).toBe('booking');
    expect(whileSlow.filter(({ type }) => type === 'activity')).toEqual([]);
  });
});

describe('a fault of one kind of requests, which come a few at a time', () => {
  it('lasts while others go well at the same place', () => {
    const pages = Array.from({ length: 15 * 120 }, (_, index) =>
      spanItem({ service: 'proxy', operation: 'GET /', at: START + index * 500 }),
    );
    const images = Array.from({ length: 15 * 2 }, (_, visit) =>
      Array.from({ length: 30 }, (_, index) => {
        const at = START + visit * 30 * SECOND + index * 20;
        return spanItem({ service: 'proxy', operation: 'GET /images', at, durationMs: at < FAULT ? 10 : 5_000 });
      }),
    );
    const items = [...pages, ...images.flat()].toSorted((a, b) => a.at - b.at);

    const told = eventsOf(items).filter(({ at }) => at < START + 15 * MINUTE);

    expect(told.map(({ type, incident }) => [type, incident.root])).toEqual([['opened', 'proxy']]);
  });
});

describe('a slow network into a service', () => {
  it.each(CALLED)('%s: is the root of one incident, with few calls a minute', (far) => {
    const wayMs = (service: string, at: number) => (service === far && at >= FAULT ? 2_000 : 0);

    expect(rootsOf(spansOf({ wayMs, requestEveryMs: 2_000 }))).toEqual([far]);
  });
});

describe('a total outage', () => {
  it.each([{ offsetMs: 0 }, { offsetMs: 1_700 }, { offsetMs: 3_300 }])(
    'of a service with ten requests a minute opens within 30 seconds, $offsetMs ms later too',
    ({ offsetMs }) => {
      const fault = START + 20 * MINUTE + offsetMs;
      const isGone = (service: string, at: number) => service === 'payments' && at >= fault;
      const items = spansOf({ isGone, requestEveryMs: 2_400 }, 22);

      const [opened] = eventsOf(items).filter(({ type }) => type === 'opened');

      expect(opened?.incident.root).toBe('payments');
      expect(opened?.at).toBeLessThanOrEqual(fault + 30 * SECOND);
    },
  );
});

describe('a healthy system', () => {
  it.each([0.003, 0.02, 0.05])('opens no incident while a share of %f of all work fails', (share) => {
    const items = spansOf({ isBroken: () => true, failingShare: share }, 40);

    expect(rootsOf(items)).toEqual([]);
  });

  it('opens no incident for an error line that is always written', () => {
    const lines = Array.from({ length: 30 * 20 }, (_, index): LogItem => {
      const at = START + index * 3 * SECOND;
      const about = { traceId: null, spanId: null } as const;
      return { kind: 'log', service: 'payments', at, severity: 'error', text: 'cannot reach metrics', ...about };
    });

    expect(rootsOf([...spansOf({}, 30), ...lines])).toEqual([]);
  });

  it.each(['1101', '1001001'])(
    'opens no incident for the lines of a few failed requests, one each 10 s: %s',
    (fails) => {
      const requests = Array.from({ length: 200 }, (_, index): TelemetryItem[] => {
        const isFailed = fails[index - 180] === '1';
        const at = START + index * 10 * SECOND;
        const { traceId, spanId, ...span } = spanItem({ service: 'orders', at, isFailed });
        const texts = isFailed ? ['cannot save the order', 'request failed'] : [];
        const about = { kind: 'log', service: 'orders', at, severity: 'error', traceId, spanId } as const;
        return [{ ...span, traceId, spanId }, ...texts.map((text): LogItem => ({ ...about, text }))];
      });

      expect(rootsOf(requests.flat())).toEqual([]);
    },
  );

  it.each([3, 5])(
    'opens no incident for %d failures in a row that callers get over, if lines name their trace',
    (run) => {
      const items = Array.from({ length: 360 }, (_, index): TelemetryItem[] => {
        const at = START + index * 10 * SECOND;
        const web = spanItem({ service: 'web', at: at + 30, durationMs: 30 });
        const { traceId, spanId: parentSpanId } = web;
        const tried = spanItem({ service: 'orders', traceId, parentSpanId, at: at + 10, isFailed: true });
        const again = spanItem({ service: 'orders', traceId, parentSpanId, at: at + 25 });
        const written = { kind: 'log', service: 'orders', at, traceId, spanId: null } as const;
        const line: LogItem = { ...written, severity: 'info', text: 'order saved' };
        const error: LogItem = { ...written, severity: 'error', text: 'cannot save the order' };
        return index % 90 >= 90 - run ? [tried, error, again, line, web] : [again, line, web];
      });

      expect(rootsOf(items.flat())).toEqual([]);
    },
  );

  it('has no harmed requests when the retry of a failed call succeeds', () => {
    const items = spansOf({}, 14).flatMap((span): SpanItem[] => {
      const isRetried = span.role === 'client' && span.peer === 'payments' && span.at >= FAULT;
      return isRetried ? [{ ...span, spanId: `${span.spanId}r`, isFailed: true, durationMs: 0 }, span] : [span];
    });

    const events = eventsOf(items);

    expect(events.filter(({ incident }) => [...incident.members.keys()].some((key) => key.includes('harmed')))).toEqual(
      [],
    );
  });

  it('opens no incident for one failed call of four in its first minutes', () => {
    const isBroken = (service: string, at: number) => service === 'refunds' && at >= START + 150 * SECOND;
    const items = spansOf({ isBroken, failingShare: 0.2, requestEveryMs: 1_000 }, 2.7);

    expect(rootsOf(items)).toEqual([]);
  });
});

describe('the blamed place', () => {
  it('is the vendor that failed, not its caller', () => {
    const items = spansOf({}, 12).flatMap((span): SpanItem[] => {
      const isPaying = span.service === 'payments' && span.role === 'server';
      const isFailed = span.at >= FAULT;
      if (!isPaying) {
        return [isFailed && span.operation === '/buy' ? { ...span, isFailed } : span];
      }
      const call = { ...span, spanId: `${span.spanId}v`, parentSpanId: span.spanId, durationMs: 1 };
      const vendor = { role: 'client', operation: 'POST', peer: 'api.vendor.test', isFailed } as const;
      return [
        { ...span, isFailed },
        { ...call, ...vendor },
      ];
    });

    expect(rootsOf(failThrough(items))).toEqual(['api.vendor.test']);
  });

  it('is slow to answer, not far away, if it sends no spans', () => {
    const items = Array.from({ length: 12 * 60 }, (_, index): SpanItem[] => {
      const at = START + index * SECOND;
      const ms = at >= FAULT ? 3_000 : 100;
      const { traceId, ...entry } = spanItem({ service: 'booking', at: at + ms + 10, durationMs: ms + 10 });
      const call = { role: 'client', operation: 'POST to pay.vendor.test:<n>', peer: 'pay.vendor.test' } as const;
      return [
        { ...entry, traceId },
        spanItem({ ...call, service: 'booking', at: at + ms, durationMs: ms, traceId, parentSpanId: entry.spanId }),
      ];
    });

    const opened = eventsOf(items.flat()).find(({ type }) => type === 'opened');

    const lost = [...(opened?.incident.members.values() ?? [])].flatMap(({ evidence }) => evidence.lost ?? []);
    expect(opened?.incident.root).toBe('pay.vendor.test');
    expect(lost[0]).toMatchObject({ kind: 'silent', failed: 0 });
  });

  it('is a single place even if the parents of some spans never arrive', () => {
    const isBroken = (service: string, at: number) => service === 'bank-gateway' && at >= FAULT;
    const items = spansOf({ isBroken }).filter(({ service, role }) => service !== 'checkout' || role !== 'server');

    expect(rootsOf(items)).toEqual(['bank-gateway']);
  });

  it('comes with its lost requests and their path', () => {
    const isGone = (service: string, at: number) => service === 'orders-db' && at >= FAULT;

    const opened = eventsOf(spansOf({ isGone })).find(({ type }) => type === 'opened');

    const lost = [...(opened?.incident.members.values() ?? [])].flatMap(({ evidence }) => evidence.lost ?? []);
    expect(lost[0]).toMatchObject({ kind: 'silent' });
    expect(lost[0]?.path.map(({ service }) => service)).toEqual(['orders-db', 'orders', 'checkout', 'web']);
  });
});

/** Spans of the shop, without any log line. */
function spansOf(settings: Partial<ShopSettings>, minutes = 12): SpanItem[] {
  const all = simulateShop({ from: START, to: START + minutes * MINUTE, isBroken: () => false, ...settings });
  return all.flatMap((item) => (item.kind === 'span' ? [item] : []));
}

/** Each service does its work in an internal span, as a framework makes them: calls are below it. */
function withInternalSpans(spans: readonly SpanItem[]): SpanItem[] {
  return spans.flatMap((span): SpanItem[] => {
    const within = (spanId: string) => `${spanId}i`;
    if (span.role === 'client') {
      return [{ ...span, parentSpanId: span.parentSpanId === null ? null : within(span.parentSpanId) }];
    }
    const about = { role: 'internal', operation: 'handler', isFailed: false } as const;
    return [{ ...span, ...about, spanId: within(span.spanId), parentSpanId: span.spanId }, span];
  });
}

/** A failed span also fails the spans that wait for it. */
function failThrough(items: readonly SpanItem[]): SpanItem[] {
  const byId = new Map(items.map((item) => [item.spanId, item]));
  for (const item of items) {
    for (let each = item.isFailed ? item : undefined; each !== undefined; each = byId.get(each.parentSpanId ?? '')) {
      byId.set(each.spanId, { ...each, isFailed: true });
    }
  }
  return [...byId.values()];
}

function eventsOf(items: readonly TelemetryItem[]): CorrelationEvent[] {
  const inOrder = items.toSorted((a, b) => a.at - b.at);
  return feedEngine(createEngineState(), inOrder, (inOrder.at(-1)?.at ?? START) + 30 * SECOND);
}

function rootsOf(items: readonly TelemetryItem[]): string[] {
  const incidents = incidentsIn(eventsOf(items));
  return incidents.filter(({ mergedInto }) => mergedInto === null).map(({ root }) => root);
}
