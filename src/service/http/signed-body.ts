import type { ApiKey } from '../core/api-key.ts';
import type { Decode } from '../ingest/incoming-bodies.ts';
import type { SignatureScheme, SignedRequest } from '../ingest/signature-scheme.ts';
import type { IntegrationStore } from '../store/integrations/integration-store.ts';
import { invalidBody } from './validate.ts';

type Verify = <Result>(headers: Headers, decode: Decode<Result>) => Decode<Result>;

interface VerifyDeps {
  readonly integrations: Pick<IntegrationStore, 'findSigningSecret'>;
  readonly now: () => Date;
}

/** Verifies the signature if the integration has a secret. Without a secret, the API key is sufficient. */
export async function verifyingSignature(
  { integrationId }: Pick<ApiKey, 'integrationId'>,
  scheme: SignatureScheme | undefined,
  { integrations, now }: VerifyDeps,
): Promise<Verify> {
  const secret =
    scheme === undefined || integrationId === null ? null : await integrations.findSigningSecret(integrationId);
  return (headers, decode) =>
    scheme === undefined || secret === null
      ? decode
      : function* (body) {
          demandSignature(scheme, { body, headers, secret, now: now() });
          yield;
          return yield* decode(body);
        };
}

/** @throws {RequestError} */
function demandSignature({ header, isSigned }: SignatureScheme, request: SignedRequest): void {
  const given = request.headers.get(header) ?? '';
  if (!isSigned(request, given)) {
    const detail =
      given === ''
        ? 'has no signature: give the sender the secret of this integration'
        : 'has another signature: the sender has another secret than this integration';
    throw invalidBody([{ pointer: '', detail }]);
  }
}
