import { verify, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { findAmazonUrl, type SnsMessage, signedText } from '../ingest/formats/sns/sns.ts';
import type { GuardedGet } from '../webhooks/guarded-get.ts';
import { RequestError } from './problem.ts';
import { invalidBody } from './validate.ts';

const ALGORITHMS = { 1: 'RSA-SHA1', 2: 'RSA-SHA256' } as const;
const RETRY = { 'retry-after': '30' };
const MAX_CERTIFICATES = 50;
const CERTIFICATE_TTL_MS = 3_600_000;

/** Verifies that Amazon signed a message. Resolves when it has; @throws {RequestError} */
export type VerifySns = (message: SnsMessage, now: Date) => Promise<void>;

/** @param get is only given addresses of Amazon */
export function createSnsVerifier(get: GuardedGet): VerifySns {
  const certificates = new LRUCache<string, X509Certificate>({
    max: MAX_CERTIFICATES,
    ttl: CERTIFICATE_TTL_MS,
    fetchMethod: async (address) => new X509Certificate(await get(new URL(address))),
  });

  return async (message, now) => {
    const url = findAmazonUrl(message.SigningCertURL);
    if (url === null || !url.pathname.endsWith('.pem')) {
      throw invalidBody([{ pointer: '/SigningCertURL', detail: 'is not an address of Amazon SNS' }]);
    }
    const certificate = await certificates.fetch(url.href).catch(() => undefined);
    if (certificate === undefined) {
      // SNS sends again after a 5xx.
      throw new RequestError('overloaded', 'the certificate of Amazon SNS cannot be read now', { headers: RETRY });
    }
    const isValidNow =
      now.getTime() >= Date.parse(certificate.validFrom) && now.getTime() <= Date.parse(certificate.validTo);
    const signature = Buffer.from(message.Signature, 'base64');
    const algorithm = ALGORITHMS[message.SignatureVersion];
    if (!isValidNow || !verify(algorithm, Buffer.from(signedText(message)), certificate.publicKey, signature)) {
      throw invalidBody([{ pointer: '/Signature', detail: 'is not the signature of Amazon SNS' }]);
    }
  };
}
