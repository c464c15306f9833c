import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { SIGNAL_TYPES } from '../contract/resources.ts';
import { WAY_KINDS, type WayKind } from '../contract/waking.ts';
import { withTimeout } from '../runtime/timeout.ts';
import type { ObservedSignal } from './core/signal.ts';
import { UNKEPT_KINDS, type UnkeptKind } from './core/unkept.ts';
import type { Disabling } from './store/webhooks/webhook-store.ts';
import type { SendOutcome } from './webhooks/webhook-sender.ts';

/** How long a scrape waits for the database. The other metrics are needed most while it is down. */
const QUERY_TIMEOUT_MS = 1_000;

/** In seconds, from OpenTelemetry's semantic conventions for HTTP. */
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
  499: 'client_gone',
  503: 'storage_behind',
};

/** Counters of the service. */
export interface ServiceMetrics {
  /** @param route the pattern of the path, never the path itself */
  requestAnswered(request: { method: string; route: string; status: number; durationMs: number }): void;
  signalsAccepted(signals: readonly Pick<ObservedSignal, 'type' | 'occurrences'>[]): void;
  /** @param spans that lost a name, see `NameLimits` */
  namesFolded(spans: number): void;
  /** What requests with a success as their answer did not bring about. */
  unkept(kind: UnkeptKind, count: number): void;
  telemetryOutOfTime(count: { readonly past: number; readonly ahead: number }): void;
  /** @param cause the status of the response, unless that does not say it */
  ingestRefused(cause: number | 'overloaded'): void;
  /** @param floods how many of them hold what is beyond a sender's limit */
  incidentsOpened(count: number, floods: number): void;
  webhookAttempted(outcome: SendOutcome['kind']): void;
  webhookDisabled(because: Disabling['because']): void;
}

export function createServiceMetrics(registry: Registry): ServiceMetrics {
  const registers = [registry];
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time until the response to a request begins',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const accepted = new Counter({
    name: 'tocsin_signals_accepted_total',
    help: 'Stored signals by type; each occurrence counts',
    labelNames: ['type'],
    registers,
  });
  const refused = new Counter({
    name: 'tocsin_ingest_refused_total',
    help: 'Refused requests with telemetry or alerts, by reason',
    labelNames: ['reason'],
    registers,
  });
  const outOfTime = new Counter({
    name: 'tocsin_telemetry_out_of_time_total',
    help: 'Spans, log lines and metrics whose time is too old to be correlated (past), or ahead of our clock (ahead)',
    labelNames: ['direction'],
    registers,
  });
  const unkept = new Counter({
    name: 'tocsin_ingest_unkept_total',
    help: 'What was accepted, but not kept or without effect, by reason; its integration shows an example',
    labelNames: ['reason'],
    registers,
  });
  const folded = new Counter({
    name: 'tocsin_telemetry_names_folded_total',
    help: 'Spans whose operation, peer or service was not correlated by its name, because a sender sent too many new names',
    registers,
  });
  const opened = new Counter({ name: 'tocsin_incidents_opened_total', help: 'Opened incidents', registers });
  const floods = new Counter({
    name: 'tocsin_incident_floods_total',
    help: 'Incidents that hold the failures of a sender beyond its limit',
    registers,
  });
  const attempts = new Counter({
    name: 'tocsin_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook, by outcome; gone: its receiver wants no more events',
    labelNames: ['outcome'],
    registers,
  });
  const disabled = new Counter({
    name: 'tocsin_webhooks_disabled_total',
    help: 'Webhooks that were disabled; failing: for 24 hours; gone: the receiver answered 410',
    labelNames: ['because'],
    registers,
  });
  // A rate cannot show the first increment of a series that did not exist before.
  for (const type of SIGNAL_TYPES) {
    accepted.inc({ type }, 0);
  }
  for (const reason of UNKEPT_KINDS) {
    unkept.inc({ reason }, 0);
  }
  for (const reason of [...Object.values(REFUSAL_BY_STATUS), 'overloaded', 'failed']) {
    refused.inc({ reason }, 0);
  }
  for (const outcome of ['delivered', 'failed', 'gone'] satisfies SendOutcome['kind'][]) {
    attempts.inc({ outcome }, 0);
  }
  for (const because of ['failing', 'gone'] satisfies Disabling['because'][]) {
    disabled.inc({ because }, 0);
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
    namesFolded: (spans) => folded.inc(spans),
    unkept: (reason, count) => unkept.inc({ reason }, count),
    telemetryOutOfTime({ past, ahead }) {
      outOfTime.inc({ direction: 'past' }, past);
      outOfTime.inc({ direction: 'ahead' }, ahead);
    },
    ingestRefused(cause) {
      refused.inc({ reason: cause === 'overloaded' ? cause : (REFUSAL_BY_STATUS[cause] ?? 'failed') });
    },
    incidentsOpened(count, ofFloods) {
      opened.inc(count);
      floods.inc(ofFloods);
    },
    webhookAttempted: (outcome) => attempts.inc({ outcome }),
    webhookDisabled: (because) => disabled.inc({ because }),
  };
}

/** Gauges that are read at each scrape. */
export function measureState(
  registry: Registry,
  sources: {
    countOpenIncidents: () => Promise<number>;
    countWaitingDeliveries: () => Promise<number>;
    longestWaitOfDelivery: () => Promise<number>;
    pageLateSeconds: () => Promise<number>;
    pageRefusals: () => Promise<ReadonlyMap<WayKind, number>>;
    correlationAgeMs: () => number;
    queueSize: () => number;
    openStreams: () => number;
  },
): void {
  const registers = [registry];
  new Gauge({
    name: 'tocsin_incidents_open',
    help: 'Open incidents in the whole database; NaN while it does not answer',
    registers,
    async collect() {
      this.set(await inTime(sources.countOpenIncidents));
    },
  });
  new Gauge({
    name: 'tocsin_webhook_deliveries_waiting',
    help: 'Queued webhook deliveries in the whole database; NaN while it does not answer',
    registers,
    async collect() {
      this.set(await inTime(sources.countWaitingDeliveries));
    },
  });
  new Gauge({
    name: 'tocsin_webhook_delivery_age_seconds',
    help: 'How long the oldest queued webhook delivery has waited, in the whole database; NaN while it does not answer',
    registers,
    async collect() {
      this.set(await inTime(sources.longestWaitOfDelivery));
    },
  });
  new Gauge({
    name: 'tocsin_page_late_seconds',
    help: 'How late the latest due step or attempt to wake somebody is, in the whole database; NaN while it does not answer',
    registers,
    async collect() {
      this.set(await inTime(sources.pageLateSeconds));
    },
  });
  new Gauge({
    name: 'tocsin_page_refusals',
    help: 'Calls to wake somebody that have failed since one last worked, by way, in the whole database; NaN while it does not answer',
    labelNames: ['way'],
    registers,
    async collect() {
      const refusals = await withTimeout(QUERY_TIMEOUT_MS, sources.pageRefusals).catch(() => null);
      for (const way of WAY_KINDS) {
        this.set({ way }, refusals === null ? Number.NaN : (refusals.get(way) ?? 0));
      }
    },
  });
  new Gauge({
    name: 'tocsin_correlation_age_seconds',
    help: 'Time since a step of correlation in this process last went through, whether or not there was something to do',
    registers,
    collect() {
      this.set(sources.correlationAgeMs() / 1_000);
    },
  });
  new Gauge({
    name: 'tocsin_ingest_queue_size',
    help: 'Signals and calls that wait for the running transaction',
    registers,
    collect() {
      this.set(sources.queueSize());
    },
  });
  new Gauge({
    name: 'tocsin_event_streams',
    help: 'Open event streams',
    registers,
    collect() {
      this.set(sources.openStreams());
    },
  });
}

/** NaN when the query fails or takes too long. */
function inTime(count: () => Promise<number>): Promise<number> {
  return withTimeout(QUERY_TIMEOUT_MS, count).catch(() => Number.NaN);
}
