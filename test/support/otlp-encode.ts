import type { ISerializer } from '@opentelemetry/otlp-transformer';

/** A request as the OpenTelemetry SDK writes it: by an encoder that shares nothing with our readers. */
export function encode<Items>(serializer: ISerializer<Items, unknown>, items: Items): Uint8Array {
  const body = serializer.serializeRequest(items);
  if (body === undefined) {
    throw new Error('the SDK could not write the request');
  }
  return body;
}
