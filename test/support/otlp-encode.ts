import type { ISerializer } from '@opentelemetry/otlp-transformer';

/** Encodes a request with the OpenTelemetry SDK, which shares no code with our readers. */
export function encode<Items>(serializer: ISerializer<Items, unknown>, items: Items): Uint8Array {
  const body = serializer.serializeRequest(items);
  if (body === undefined) {
    throw new Error('the SDK could not encode the request');
  }
  return body;
}
