import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { settlesWithin } from '../runtime/timeout.ts';
import { OWN_SPANS, type StartedSpan, traceWork, type Work } from '../runtime/traced.ts';

/** How long a stop waits for the last spans to be sent. */
const STOP_TIMEOUT_MS = 2_000;

const KINDS: Readonly<Record<Work['kind'], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
};

/**
 * Sends spans of this process by OTLP/HTTP. Nothing global of OpenTelemetry is used, so a program around Tocsin may trace
 * itself in another way. The exporter reads what is not in `settings` (headers, compression, time limit, certificates)
 * from the standard variables.
 */
export function createOwnTraces(settings: NonNullable<Config['ownTraces']>, logger: Logger): AsyncDisposable {
  const exporter = new OTLPTraceExporter({ url: settings.url });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: 'tocsin' }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(settings, logger),
    spanProcessors: [new BatchSpanProcessor({ exporter: loggingFailures(exporter, logger) })],
  });
  const tracer = provider.getTracer(OWN_SPANS);
  const propagator = new W3CTraceContextPropagator();
  const spans = new WeakMap<StartedSpan, Span>();

  function contextOf({ traceparent }: Work, parent: StartedSpan | null) {
    const around = parent === null ? undefined : spans.get(parent);
    if (around !== undefined) {
      return trace.setSpan(ROOT_CONTEXT, around);
    }
    return propagator.extract(ROOT_CONTEXT, traceparent, {
      get: (carrier, name) => (name === 'traceparent' ? carrier : undefined),
      keys: () => ['traceparent'],
    });
  }

  const tracing = traceWork({
    begin(work, parent, startTime) {
      const { name, kind, attributes = {} } = work;
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes, startTime }, contextOf(work, parent));
      const started: StartedSpan = {
        traceId: span.spanContext().traceId,
        rename: (to) => void span.updateName(to),
        set: (more) => void span.setAttributes(more),
        fail: (reason) => void span.setStatus({ code: SpanStatusCode.ERROR, message: reason }),
        end: () => span.end(),
      };
      spans.set(started, span);
      return started;
    },
  });

  return {
    async [Symbol.asyncDispose]() {
      tracing[Symbol.dispose]();
      await settlesWithin(STOP_TIMEOUT_MS, provider.shutdown());
    },
  };
}

/** Creates the sampler that OTEL_TRACES_SAMPLER names. If the name is unknown, all spans are sent. */
function samplerOf({ sampler, share }: NonNullable<Config['ownTraces']>, logger: Logger): Sampler {
  const samplers: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(share),
  };
  const [, parentBased, name = ''] = /^(parentbased_)?(.*)$/.exec(sampler) ?? [];
  const create = Object.hasOwn(samplers, name) ? samplers[name] : undefined;
  if (create === undefined) {
    logger.warn({ sampler }, 'OTEL_TRACES_SAMPLER names a sampler that Tocsin does not have: it sends all its spans');
  }
  const root = create?.() ?? new AlwaysOnSampler();
  return parentBased === undefined && create !== undefined ? root : new ParentBasedSampler({ root });
}

/** Logs the first of consecutive failures, and the first success after them. */
function loggingFailures(exporter: SpanExporter, logger: Logger): SpanExporter {
  let hasFailed = false;
  function logChange({ code, error }: ExportResult): void {
    const fails = code !== ExportResultCode.SUCCESS;
    if (fails && !hasFailed) {
      logger.warn({ reason: error?.message }, 'traces of Tocsin itself cannot be sent; they are dropped');
    } else if (!fails && hasFailed) {
      logger.info('traces of Tocsin itself can be sent again');
    }
    hasFailed = fails;
  }
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        logChange(result);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
