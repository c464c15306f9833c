import type { SpanItem } from '../../src/service/core/telemetry-item.ts';
import { traceBuilder } from './span-item.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
export const FAULT = START + 10 * MINUTE;
export const END = START + 13 * MINUTE;
/** Called by `web`, each in a request of its own. */
export const HOSTED_SERVICES = ['cart', 'orders', 'prices', 'search', 'users'];
export const HOSTS = ['node-1', 'node-2', 'node-3'];
const ZONES: Readonly<Record<string, string>> = { 'node-1': 'zone-a', 'node-2': 'zone-b', 'node-3': 'zone-b' };

/** A run of a service, and where it was. */
export interface Run {
  readonly service: string;
  readonly host: string;
  /** Of this service. */
  readonly index: number;
}

/** What became of a run. `lost`: its caller got no answer, and it sent no span. */
export type Outcome = 'well' | 'fails' | 'slow' | 'lost';

/** Five requests a second. Each service answers one of five, from its hosts in turn. In order of time. */
export function spansOf(
  fault: (run: Run) => Outcome,
  hostsOf: (service: string) => readonly string[] = () => HOSTS,
): SpanItem[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END - 10 * SECOND; at += 200, index += 1) {
    const service = HOSTED_SERVICES[index % HOSTED_SERVICES.length] ?? 'cart';
    const turn = Math.floor(index / HOSTED_SERVICES.length);
    const hosts = hostsOf(service);
    const host = hosts[(turn * 7 + Math.floor(turn / 5)) % Math.max(1, hosts.length)];
    const what = at < FAULT ? 'well' : fault({ service, host: host ?? '', index: turn });
    addRequest(spans, at, service, host, what);
  }
  return spans.toSorted((a, b) => a.at - b.at);
}

function addRequest(spans: SpanItem[], at: number, service: string, host: string | undefined, what: Outcome): void {
  const add = traceBuilder(spans, at);
  const isFailed = what === 'fails' || what === 'lost';
  const durationMs = { well: 20, fails: 20, slow: 600, lost: 1_000 }[what];
  const ranAt =
    host === undefined
      ? {}
      : {
          instance: `${service} on ${host}`,
          attributes: { host, zone: ZONES[host] ?? 'zone-a' },
        };
  const operation = `GET /${service}`;
  const entry = add(null, { service: 'web', operation, durationMs: durationMs + 4, isFailed, instance: 'web-1' });
  const call = add(entry, {
    service: 'web',
    role: 'client',
    operation,
    durationMs: durationMs + 2,
    isFailed,
    peer: service,
    instance: 'web-1',
  });
  if (what !== 'lost') {
    add(call, { service, operation, durationMs, isFailed, ...ranAt });
  }
}
