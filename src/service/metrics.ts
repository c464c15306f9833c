import { setTimeout } from 'node:timers/promises';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { SignalType } from '../contract/resources.ts';
import type { ObservedSignal } from './core/signal.ts';
import type { SendOutcome } from './webhooks/webhook-sender.ts';

/** How long a scrape waits for the database, in milliseconds: the other metrics are needed most while it is away. */
const PATIENCE_MS = 1_000;

/** Of OpenTelemetry's semantic conventions for HTTP, in seconds. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

const KNOWN_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const REFUSAL_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'malformed',
  401: 'unauthorized',
  403: 'unauthorized',
  413: 'too_large',
  415: 'unsupported',
  422: 'malformed',
  429: 'rate_limited',
  503: 'storage_behind',
};

/** What the service counts of itself. */
export interface ServiceMetrics {
  /** @param route the pattern of its address, never the address */
  requestAnswered(request: { method: string; route: string; status: number; durationMs: number }): void;
  signalsAccepted(signals: readonly Pick<ObservedSignal, 'type' | 'occurrences'>[]): void;
  /** @param status the HTTP status it was refused with */
  ingestRefused(status: number): void;
  incidentsOpened(count: number): void;
  webhookAttempted(outcome: SendOutcome['kind']): void;
}

export function createServiceMetrics(registry: Registry): ServiceMetrics {
  const registers = [registry];
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time until the answer to a request begins',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const accepted = new Counter({
    name: 'tocsin_signals_accepted_total',
    help: 'Signals that were made durable, by type; each occurrence counts',
    labelNames: ['type'],
    registers,
  });
  const refused = new Counter({
    name: 'tocsin_ingest_refused_total',
    help: 'Requests with telemetry or alerts that were not taken, by reason',
    labelNames: ['reason'],
    registers,
  });
  const opened = new Counter({ name: 'tocsin_incidents_opened_total', help: 'Incidents that opened', registers });
  const attempts = new Counter({
    name: 'tocsin_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook, by outcome; gone: its receiver wants no more',
    labelNames: ['outcome'],
    registers,
  });
  // A series that appears with its first increment is one whose first increment no rate shows.
  for (const type of SignalType.options) {
    accepted.inc({ type }, 0);
  }
  for (const reason of [...Object.values(REFUSAL_BY_STATUS), 'failed']) {
    refused.inc({ reason }, 0);
  }
  for (const outcome of ['delivered', 'failed', 'gone'] satisfies SendOutcome['kind'][]) {
    attempts.inc({ outcome }, 0);
  }
  return {
    requestAnswered({ method, route, status, durationMs }) {
      const labels = {
        http_request_method: KNOWN_METHODS.has(method) ? method : '_OTHER',
        http_route: route,
        http_response_status_code: status,
      };
      durations.observe(labels, durationMs / 1_000);
    },
    signalsAccepted(signals) {
      for (const { type, occurrences } of signals) {
        accepted.inc({ type }, occurrences);
      }
    },
    ingestRefused: (status) => refused.inc({ reason: REFUSAL_BY_STATUS[status] ?? 'failed' }),
    incidentsOpened: (count) => opened.inc(count),
    webhookAttempted: (outcome) => attempts.inc({ outcome }),
  };
}

/** What is looked up when it is asked for. */
export function measureState(
  registry: Registry,
  sources: {
    countOpenIncidents(): Promise<number>;
    countWaitingDeliveries(): Promise<number>;
    queueSize(): number;
    openStreams(): number;
  },
): void {
  const registers = [registry];
  new Gauge({
    name: 'tocsin_incidents_open',
    help: 'Incidents that are open, in the whole database; NaN while it does not answer',
    registers,
    async collect() {
      this.set(await inTime(sources.countOpenIncidents()));
    },
  });
  new Gauge({
    name: 'tocsin_webhook_deliveries_waiting',
    help: 'Events that are still to be delivered to webhooks, in the whole database; NaN while it does not answer',
    registers,
    async collect() {
      this.set(await inTime(sources.countWaitingDeliveries()));
    },
  });
  new Gauge({
    name: 'tocsin_ingest_queue_size',
    help: 'Signals, and calls between services, that wait for the transaction that runs',
    registers,
    collect() {
      this.set(sources.queueSize());
    },
  });
  new Gauge({
    name: 'tocsin_event_streams',
    help: 'Readers of the event stream',
    registers,
    collect() {
      this.set(sources.openStreams());
    },
  });
}

/** NaN: nobody could say in time. */
function inTime(count: Promise<number>): Promise<number> {
  const late = setTimeout(PATIENCE_MS, Number.NaN, { ref: false });
  return Promise.race([count.catch(() => Number.NaN), late]);
}
