const KIB = 1024;
export const MIB = 1024 * KIB;

/** Limits of a request with signals; docs/api.md has them too. */
export const INGEST_LIMITS = {
  /** Size of an OTLP request, after decompression: the limit of OpenTelemetry Collectors (`max_request_body_size`). */
  otlpBytes: 20 * MIB,
  alertmanagerBytes: 16 * MIB,
  eventsBytes: MIB,
  /** Size of any JSON, which an expression reads. */
  mappedBytes: 256 * KIB,
  /** The limit of PagerDuty. */
  pagerDutyBytes: 512 * KIB,
  /** Spans, data points or log records in a request; also their resources, scopes and metrics, each. */
  items: 50_000,
  /** A larger span, record or point is rejected, and the rest of its request is accepted. */
  itemBytes: MIB,
  /** Values of a span, record or point in JSON; the same applies. */
  itemValues: 20_000,
  /** Entries of an attribute list, map or array; the rest is dropped. SDKs send at most 128 attributes by default. */
  attributes: 128,
  /** Levels of an attribute value. Each needs a stack frame. */
  valueDepth: 32,
  /** Fields of a resource, scope or metric in addition to what it contains. OTLP has five at most. */
  otherFields: 64,
  /** Levels of objects and arrays in JSON: 32 of an attribute value and those around it. */
  jsonDepth: 160,
  /** Values in a JSON body of another format than OTLP. */
  jsonValues: 500_000,
  /** Received and decompressed bytes of all requests that have not been decoded. */
  bytesInFlight: 192 * MIB,
  /** Only one request with a larger body is decoded at a time. */
  smallBytes: MIB,
} as const;

/** The request has more of something than is allowed. The message says the limit and what to do. */
export class RequestTooLargeError extends Error {
  override readonly name = 'RequestTooLargeError';
}
