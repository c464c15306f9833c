import { type Attributes, context, type Histogram, type Logger, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import {
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
  METRIC_HTTP_SERVER_REQUEST_DURATION,
} from '@opentelemetry/semantic-conventions';

/** Destination of telemetry, and a callback for the result of each export. */
export interface TelemetryTarget {
  /** OTLP/HTTP base address without a trailing slash; `/v1/traces` and so on are appended. */
  readonly endpoint: string;
  readonly apiKey: string;
  readonly onExport: (error: Error | null) => void;
  /** Whether the process that would send it is gone: what it has not sent is lost. */
  readonly isGone: () => boolean;
}

/** The OpenTelemetry SDK of one service, separate from the other services of the process. */
export interface Telemetry extends AsyncDisposable {
  readonly tracer: Tracer;
  readonly logger: Logger;
  /** `http.server.request.duration`, in seconds. */
  readonly requestDuration: Histogram<Attributes>;
}

const EXPORT_INTERVAL_MS = 1000;
const METRIC_INTERVAL_MS = 2000;
const EXPORT_TIMEOUT_MS = 3000;

/** Bucket boundaries that the semantic conventions recommend for HTTP durations. */
const DURATION_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

type ExporterOptions = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>;

// One per process, as OpenTelemetry requires. It carries the active span across `await`.
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

/** @param instance which process of the service it is */
export function createTelemetry(service: string, instance: string, target: TelemetryTarget): Telemetry {
  const resource = resourceFromAttributes({
    [ATTR_SERVICE_NAME]: service,
    [ATTR_SERVICE_VERSION]: '1.0.0',
    [ATTR_SERVICE_INSTANCE_ID]: instance,
  });
  const timing = { scheduledDelayMillis: EXPORT_INTERVAL_MS, exportTimeoutMillis: EXPORT_TIMEOUT_MS * 2 };

  const traces = new TracerProvider({
    resource,
    spanProcessors: [
      new BatchSpanProcessor({
        ...timing,
        exporter: watched(new OTLPTraceExporter(options(target, 'traces')), target),
      }),
    ],
  });
  const logs = new LoggerProvider({
    resource,
    processors: [
      new BatchLogRecordProcessor({
        ...timing,
        exporter: watched(new OTLPLogExporter(options(target, 'logs')), target),
      }),
    ],
  });
  const metrics = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: watched(new OTLPMetricExporter(options(target, 'metrics')), target),
        exportIntervalMillis: METRIC_INTERVAL_MS,
      }),
    ],
  });

  return {
    tracer: traces.getTracer('shop'),
    logger: logs.getLogger('shop'),
    requestDuration: metrics.getMeter('shop').createHistogram(METRIC_HTTP_SERVER_REQUEST_DURATION, {
      description: 'Duration of HTTP server requests.',
      unit: 's',
      advice: { explicitBucketBoundaries: DURATION_BUCKETS_SECONDS },
    }),
    async [Symbol.asyncDispose]() {
      // A failure of the last export was already reported to `onExport`.
      await Promise.allSettled([traces.shutdown(), logs.shutdown(), metrics.shutdown()]);
    },
  };
}

function options(target: TelemetryTarget, path: 'traces' | 'metrics' | 'logs'): ExporterOptions {
  return {
    url: `${target.endpoint}/v1/${path}`,
    headers: { authorization: `Bearer ${target.apiKey}` },
    // The enum is in a package that only the exporters depend on.
    compression: 'gzip' as NonNullable<ExporterOptions['compression']>,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  };
}

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
}

/** Wraps an exporter to report the result of each export to `target`. */
function watched<Items, E extends Exporter<Items>>(exporter: E & Exporter<Items>, target: TelemetryTarget): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) => {
    if (target.isGone()) {
      done({ code: ExportResultCode.SUCCESS });
      return;
    }
    send(items, (result) => {
      target.onExport(
        result.code === ExportResultCode.SUCCESS ? null : (result.error ?? new Error('the export failed')),
      );
      done(result);
    });
  };
  return exporter;
}
