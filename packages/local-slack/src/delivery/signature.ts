import { createHmac } from 'node:crypto';

/** https://docs.slack.dev/authentication/verifying-requests-from-slack: HMAC-SHA256 of `v0:timestamp:body`. */
export function sign(signingSecret: string, timestampSeconds: number, rawBody: string): string {
  return `v0=${createHmac('sha256', signingSecret).update(`v0:${timestampSeconds}:${rawBody}`).digest('hex')}`;
}
