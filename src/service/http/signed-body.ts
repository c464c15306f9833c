import { createHmac, timingSafeEqual } from 'node:crypto';
import { minutesToSeconds } from 'date-fns/minutesToSeconds';
import type { ApiKey } from '../core/api-key.ts';
import type { Decode } from '../ingest/incoming-bodies.ts';
import type { IntegrationStore } from '../store/integrations/integration-store.ts';
import { invalidBody } from './validate.ts';

/** How a sender signs its bodies. */
export interface SignatureScheme {
  readonly header: string;
  readonly isSigned: (request: SignedRequest, given: string) => boolean;
}

interface SignedRequest {
  readonly body: Uint8Array;
  readonly headers: Headers;
  readonly secret: string;
  readonly now: Date;
}

/**
 * The HMAC-SHA256 of the body in hexadecimal digits.
 *
 * @param prefix text before the digits
 */
export function hexSignature(header: string, prefix = ''): SignatureScheme {
  return {
    header,
    isSigned: ({ body, secret }, given) =>
      isSame(given.toLowerCase(), prefix + createHmac('sha256', secret).update(body).digest('hex')),
  };
}

/** A signed request that is older is refused, because somebody may send it again. */
const TOLERANCE_SECONDS = minutesToSeconds(5);

/**
 * Standard Webhooks 1.0 (standardwebhooks.com), as GitLab uses it: the HMAC-SHA256 of id, time and body, in base64. The
 * secret is base64 after `whsec_`. The header may have several signatures.
 */
export const STANDARD_WEBHOOK: SignatureScheme = {
  header: 'webhook-signature',
  isSigned: ({ body, headers, secret, now }, given) => {
    const [id, time] = [headers.get('webhook-id') ?? '', headers.get('webhook-timestamp') ?? ''];
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const digest = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64');
    const isRecent = Math.abs(now.getTime() / 1_000 - Number(time)) <= TOLERANCE_SECONDS;
    return isRecent && given.split(' ').some((signature) => isSame(signature, `v1,${digest}`));
  },
};

function isSame(given: string, expected: string): boolean {
  const [received, own] = [Buffer.from(given), Buffer.from(expected)];
  return received.length === own.length && timingSafeEqual(received, own);
}

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
