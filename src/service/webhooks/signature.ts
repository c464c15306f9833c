import { createHmac } from 'node:crypto';

/**
 * Signature headers of Standard Webhooks (standardwebhooks.com, version 1).
 *
 * @param secrets `whsec_` and the key in base64; each signs, so that a receiver may know any of them
 * @param id the same at each attempt, so that the receiver can recognise duplicates
 * @param at time of the attempt; receivers refuse old ones
 */
export function signWebhook(secrets: readonly string[], id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
