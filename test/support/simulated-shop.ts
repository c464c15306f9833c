import type { LogItem, SpanItem, TelemetryItem } from '../../src/service/core/telemetry-item.ts';

/** Who calls whom, in this order, for each journey of a customer: the shop of `examples/shop`. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  'web /buy': ['checkout /checkout'],
  'web /browse': ['catalog /products'],
  'web /return': ['refunds /refund'],
  'checkout /checkout': ['inventory /reserve', 'payments /charge', 'orders /orders'],
  'catalog /products': ['inventory /stock'],
  'payments /charge': ['bank-gateway /transfers'],
  'refunds /refund': ['bank-gateway /transfers'],
  'orders /orders': ['orders-db /rows'],
};
/** Every service of the shop. */
export const SHOP_SERVICES: readonly string[] = [
  ...new Set(
    Object.entries(CALLS).flatMap(([call, calls]) => [call, ...calls].map((each) => each.split(' ')[0] ?? '')),
  ),
];
/** Whether requests come over the service on their way to the other one. */
export function leadsTo(service: string, callee: string): boolean {
  return Object.entries(CALLS)
    .filter(([call]) => call.startsWith(`${service} `))
    .flatMap(([, calls]) => calls.map((call) => call.split(' ')[0] ?? ''))
    .some((called) => called === callee || leadsTo(called, callee));
}

const JOURNEYS = ['web /buy', 'web /browse', 'web /buy', 'web /return', 'web /browse'];

export interface ShopSettings {
  readonly from: number;
  readonly to: number;
  /** Services that are broken at a time, in milliseconds. */
  readonly isBroken: (service: string, at: number) => boolean;
  readonly requestEveryMs?: number;
  /** Share of its requests that a broken service fails, 0 to 1. */
  readonly failingShare?: number;
  /** Time after which a broken service fails a request. */
  readonly failsAfterMs?: number;
  /** Services whose process is gone: their callers fail, and they send nothing. */
  readonly isGone?: (service: string, at: number) => boolean;
  /** Time that a service takes longer. */
  readonly slowerMs?: (service: string, at: number) => number;
  /** Time that is lost on the way to a service. */
  readonly wayMs?: (service: string, at: number) => number;
}

/** Telemetry of a shop in order of time: every service sends its spans, and a line for each failure. */
export function simulateShop(settings: ShopSettings): TelemetryItem[] {
  const { from, to, isBroken, requestEveryMs = 250, failingShare = 1, failsAfterMs = 0 } = settings;
  const { isGone = () => false, slowerMs = () => 0, wayMs = () => 0 } = settings;
  const items: TelemetryItem[] = [];
  for (let at = from, request = 0; at < to; at += requestEveryMs, request += 1) {
    const traceId = String(request).padStart(32, '0');
    const fails = (service: string, when: number) =>
      isBroken(service, when) && fractionOf(request, service) < failingShare;
    serve(JOURNEYS[request % JOURNEYS.length] ?? '', null, at, {
      traceId,
      items,
      fails,
      failsAfterMs,
      isGone,
      slowerMs,
      wayMs,
      spans: { count: 0 },
    });
  }
  return items.toSorted((a, b) => a.at - b.at);
}

/** @returns a number from 0 to 1 that looks random and is always the same */
export function fractionOf(request: number, service: string): number {
  let seed = request + 1;
  for (let index = 0; index < service.length; index += 1) {
    seed = Math.imul(seed ^ service.charCodeAt(index), 16_777_619);
  }
  const mixed = Math.imul(seed ^ (seed >>> 15), 2_246_822_519);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
}

interface Request {
  readonly traceId: string;
  readonly items: TelemetryItem[];
  readonly fails: (service: string, at: number) => boolean;
  readonly failsAfterMs: number;
  readonly isGone: (service: string, at: number) => boolean;
  readonly slowerMs: (service: string, at: number) => number;
  readonly wayMs: (service: string, at: number) => number;
  readonly spans: { count: number };
}

/** @returns when it ended, and whether it failed */
function serve(
  route: string,
  parent: string | null,
  at: number,
  request: Request,
): { end: number; hasFailed: boolean } {
  const [service = '', operation = ''] = route.split(' ');
  const server = nextSpan(request);
  let hasFailed = request.fails(service, at);
  let end = at + 5 + (Math.floor(at / 250) % 7) + (hasFailed ? request.failsAfterMs : request.slowerMs(service, at));
  for (const callee of hasFailed ? [] : (CALLS[route] ?? [])) {
    const client = nextSpan(request);
    const [peer = ''] = callee.split(' ');
    const sent = end + 1 + request.wayMs(peer, at);
    const answer = request.isGone(peer, at) ? { end: sent, hasFailed: true } : serve(callee, client, sent, request);
    const call = { spanId: client, parent: server, role: 'client', operation: 'POST', peer } as const;
    request.items.push(span(service, request, call, end, answer.end + 1, answer.hasFailed));
    end = answer.end + 1;
    hasFailed = answer.hasFailed;
    if (hasFailed) {
      break;
    }
  }
  const about = { spanId: server, parent, role: 'server', operation, peer: null } as const;
  request.items.push(span(service, request, about, at, end, hasFailed));
  request.items.push(line(service, request, server, end, hasFailed));
  return { end, hasFailed };
}

function nextSpan({ spans, traceId }: Request): string {
  spans.count += 1;
  return `${traceId.slice(-8)}${String(spans.count).padStart(8, '0')}`;
}

function span(
  service: string,
  { traceId }: Request,
  about: Pick<SpanItem, 'spanId' | 'role' | 'operation' | 'peer'> & { readonly parent: string | null },
  from: number,
  to: number,
  isFailed: boolean,
): SpanItem {
  const { parent, ...rest } = about;
  return { kind: 'span', service, at: to, durationMs: to - from, traceId, parentSpanId: parent, isFailed, ...rest };
}

function line(service: string, { traceId }: Request, spanId: string, at: number, hasFailed: boolean): LogItem {
  const severity = hasFailed ? 'error' : 'info';
  return { kind: 'log', service, at, severity, text: hasFailed ? 'request failed' : 'request served', traceId, spanId };
}
