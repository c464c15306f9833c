import { createHmac, timingSafeEqual } from 'node:crypto';
import { minutesToSeconds } from '../../runtime/dates.ts';

/** How a sender signs its bodies. */
export interface SignatureScheme {
  readonly header: string;
  readonly isSigned: (request: SignedRequest, given: string) => boolean;
}

export interface SignedRequest {
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
