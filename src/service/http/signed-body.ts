import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ApiKey } from '../core/api-key.ts';
import type { Decode } from '../ingest/incoming-bodies.ts';
import type { IntegrationStore } from '../store/integrations/integration-store.ts';
import { invalidBody } from './validate.ts';

/** A header with the HMAC-SHA256 of the body in hexadecimal digits. */
export interface SignatureScheme {
  readonly header: string;
  /** Text before the hex digits. */
  readonly prefix: string;
}

type Verify = <Result>(headers: Headers, decode: Decode<Result>) => Decode<Result>;

/** Verifies the signature if the integration has a secret. Without a secret, the API key is sufficient. */
export async function verifyingSignature(
  { integrationId }: Pick<ApiKey, 'integrationId'>,
  scheme: SignatureScheme | undefined,
  integrations: Pick<IntegrationStore, 'findSigningSecret'>,
): Promise<Verify> {
  const secret =
    scheme === undefined || integrationId === null ? null : await integrations.findSigningSecret(integrationId);
  return (headers, decode) =>
    scheme === undefined || secret === null
      ? decode
      : function* (body) {
          demandSignature(body, headers.get(scheme.header) ?? '', scheme.prefix, secret);
          yield;
          return yield* decode(body);
        };
}

/** @throws {RequestError} */
function demandSignature(body: Uint8Array, given: string, prefix: string, secret: string): void {
  const expected = Buffer.from(prefix + createHmac('sha256', secret).update(body).digest('hex'));
  const received = Buffer.from(given.toLowerCase());
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) {
    const detail =
      given === ''
        ? 'has no signature: give the sender the secret of this integration'
        : 'has another signature: the sender has another secret than this integration';
    throw invalidBody([{ pointer: '', detail }]);
  }
}
