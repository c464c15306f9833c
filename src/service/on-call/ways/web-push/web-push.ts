import { createHash } from 'node:crypto';
import webPush from 'web-push';
import { z } from 'zod';
import type { WebhookSender } from '../../../webhooks/webhook-sender.ts';
import { PLACES_OF_MANY_HOSTS } from '../../waking/host.ts';
import type { WakeMessage } from '../../waking/message.ts';
import { type Way, WayError } from '../way.ts';

/** A browser's `PushSubscription` (Push API, 8.1). */
const Address = z.object({
  endpoint: z.url({ protocol: /^https?$/ }).max(2_000),
  keys: z.object({ p256dh: z.base64url().max(200), auth: z.base64url().max(100) }),
});
type Address = z.infer<typeof Address>;

const Given = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue('must be the push subscription of a browser, as JSON');
      return z.NEVER;
    }
  })
  .pipe(Address);

/** How long the push service keeps what it cannot deliver: an older page wakes nobody. */
const TTL_SECONDS = 600;

export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** @param subject how the operators of push services reach whoever runs this (RFC 8292, 2.1) */
export function createWebPushWay(deps: {
  readonly sender: WebhookSender;
  readonly keys: () => Promise<VapidKeys>;
  readonly subject: string;
}): Way<Address> {
  return {
    address: z.union([Given, Address]),
    describe: ({ endpoint }) => `browser at ${URL.parse(endpoint)?.host ?? 'unknown'}`,
    provedBy: 'answer',
    missing: null,
    pace: PLACES_OF_MANY_HOSTS,
    lostAnswer: { by: 'repeating' },
    call: send,
    takeBack: ({ address }, message) => send(address, message),
  };

  async function send(address: Address, { id, tag, title, lines, url, answerUrl, isLoud }: WakeMessage) {
    const payload = JSON.stringify({ tag, title, body: lines.join('\n'), url, answerUrl, isLoud });
    const { headers, body } = webPush.generateRequestDetails(address, payload, {
      vapidDetails: { subject: deps.subject, ...(await deps.keys()) },
      TTL: TTL_SECONDS,
      urgency: 'high',
      topic: topicOf(tag),
    });
    const message = { url: address.endpoint, secrets: [], id, body: Buffer.from(body), headers: asText(headers) };
    const { outcome, httpStatus } = await deps.sender.send(message, new AbortController().signal);
    if (outcome.kind === 'gone' || httpStatus === 404) {
      throw new WayError('gone', `the push service answered ${httpStatus}: the browser has ended the subscription`);
    }
    if (outcome.kind === 'failed') {
      throw new WayError(outcome.isUnavailable ? 'unavailable' : 'refused', `the push service ${outcome.reason}`);
    }
    return null;
  }
}

/** At most 32 characters of base64url (RFC 8030, 5.4). */
function topicOf(tag: string): string {
  return createHash('sha256').update(tag).digest('base64url').slice(0, 32);
}

function asText(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}
