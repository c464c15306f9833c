import type { TelemetryKind } from './otlp-response.ts';

/**
 * Names of fields in OTLP/JSON. Receivers of protobuf's JSON take `trace_id` as well as `traceId` (protobuf.dev, "JSON
 * format"); Go's own encoder also writes the choices of a message as fields, `{"Value": {"StringValue": …}}`.
 */

/** What fields were called before OTLP 0.15, and Go's fields for the choice of a message. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  instrumentationLibrarySpans: 'scopeSpans',
  instrumentationLibraryMetrics: 'scopeMetrics',
  instrumentationLibraryLogs: 'scopeLogs',
  logs: 'logRecords',
};

/** The name of a field by OTLP's present definition, whichever way it is written. */
export function fieldName(sent: string): string {
  const camel = sent.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const name = camel.slice(0, 1).toLowerCase() + camel.slice(1);
  return Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? name) : name;
}

/** Go's fields that hold the choice that a message has made. */
const CHOICES: readonly string[] = ['Value', 'Data'];

/** The value with the present names at all levels. OTLP has no maps, so that every key is the name of a field. */
export function withFieldNames(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withFieldNames);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const fields: Record<string, unknown> = Object.create(null); // `__proto__` is a key like any other
  for (const [key, own] of Object.entries(value)) {
    const named = withFieldNames(own);
    if (CHOICES.includes(key) && typeof named === 'object') {
      Object.assign(fields, named);
    } else {
      fields[fieldName(key)] = named;
    }
  }
  return fields;
}

/** Every message has times, so their names tell which names a body has. A value with such a text only costs time. */
export function hasPresentNames(body: Uint8Array): boolean {
  return !Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes('ime_unix_nano');
}

/** The three levels of each request. */
export const LEVELS = {
  traces: { resources: 'resourceSpans', scopes: 'scopeSpans', entries: 'spans' },
  metrics: { resources: 'resourceMetrics', scopes: 'scopeMetrics', entries: 'metrics' },
  logs: { resources: 'resourceLogs', scopes: 'scopeLogs', entries: 'logRecords' },
} as const satisfies Record<TelemetryKind, Readonly<Record<'resources' | 'scopes' | 'entries', string>>>;
