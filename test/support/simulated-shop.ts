import type { LogItem, SpanItem, TelemetryItem } from '../../src/service/core/telemetry-item.ts';

/** Who calls whom, in this order, for each journey of a customer. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  'web /buy': ['checkout /checkout'],
  'checkout /checkout': ['inventory /reserve', 'payments /charge', 'orders /orders'],
  'payments /charge': ['bank /transfer'],
  'orders /orders': ['orders-store /rows'],
  'web /browse': ['catalog /products'],
  'catalog /products': ['inventory /stock'],
};
const JOURNEYS = ['web /buy', 'web /browse'];

export interface ShopSettings {
  readonly from: number;
  readonly to: number;
  /** Services that fail every request at a time, in milliseconds. */
  readonly isBroken: (service: string, at: number) => boolean;
  readonly requestEveryMs?: number;
}

/** Telemetry of a shop in order of time: every service sends its spans, and a line for each failure. */
export function simulateShop({ from, to, isBroken, requestEveryMs = 250 }: ShopSettings): TelemetryItem[] {
  const items: TelemetryItem[] = [];
  for (let at = from, request = 0; at < to; at += requestEveryMs, request += 1) {
    const traceId = String(request).padStart(32, '0');
    serve(JOURNEYS[request % JOURNEYS.length] ?? '', null, at, { traceId, items, isBroken, spans: { count: 0 } });
  }
  return items.toSorted((a, b) => a.at - b.at);
}

interface Request {
  readonly traceId: string;
  readonly items: TelemetryItem[];
  readonly isBroken: ShopSettings['isBroken'];
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
  let end = at + 5 + ((at / 250) % 7);
  let hasFailed = request.isBroken(service, at);
  for (const callee of hasFailed ? [] : (CALLS[route] ?? [])) {
    const client = nextSpan(request);
    const answer = serve(callee, client, end + 1, request);
    const [peer = ''] = callee.split(' ');
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
