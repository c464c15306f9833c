import { createHmac } from 'node:crypto';

/**
 * Signature headers of Standard Webhooks (standardwebhooks.com, version 1).
 *
 * @param secret `whsec_` and the key in base64
 * @param id the same at each attempt, so that the receiver can recognise duplicates
 * @param at time of the attempt; receivers refuse old ones
 */
export function signWebhook(secret: string, id: string, at: Date, body: string): Record<string, string> {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
