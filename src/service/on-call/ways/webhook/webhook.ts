import { z } from 'zod';
import type { WebhookSender } from '../../../webhooks/webhook-sender.ts';
import { PLACES_OF_MANY_HOSTS } from '../../waking/host.ts';
import type { WakeMessage } from '../../waking/message.ts';
import { type Way, WayError } from '../way.ts';

/** `secret`: signs the message, as Standard Webhooks do; absent: a channel, which only reads `text`. */
const Address = z.object({ url: z.url({ protocol: /^https?$/ }).max(2_000), secret: z.string().optional() });
export type WebhookAddress = z.infer<typeof Address>;

/** @param createSecret for a new address */
export function createWebhookWay(sender: WebhookSender, createSecret: () => string): Way<WebhookAddress> {
  const given = z.string().transform((url) => ({ url, secret: createSecret() }));
  return {
    address: z.union([given, Address]).pipe(Address),
    describe: ({ url }) => `${URL.parse(url)?.origin ?? ''}/…`,
    provedBy: 'delivery',
    missing: null,
    pace: PLACES_OF_MANY_HOSTS,
    lostAnswer: { by: 'repeating' },
    call: send,
    takeBack: ({ address }, message) => send(address, message),
  };

  async function send({ url, secret }: WebhookAddress, message: WakeMessage) {
    const secrets = secret === undefined ? [] : [secret];
    const body = secret === undefined ? { text: textOf(message) } : eventOf(message);
    // A repetition has the same id; what follows it up is another event.
    const id = message.answerUrl === null ? `${message.id}.taken` : message.id;
    const { outcome } = await sender.send(
      { url, secrets, id, body: JSON.stringify(body) },
      new AbortController().signal,
    );
    if (outcome.kind === 'gone') {
      throw new WayError('gone', 'the webhook answered 410');
    }
    if (outcome.kind === 'failed') {
      throw new WayError(outcome.isUnavailable ? 'unavailable' : 'refused', `the webhook ${outcome.reason}`);
    }
    return null;
  }
}

function textOf({ title, lines, answerUrl, url }: WakeMessage): string {
  return [title, ...lines, answerUrl === null ? url : `I have it: ${answerUrl}`].join('\n');
}

function eventOf({ id, title, lines, url, answerUrl, isLoud }: WakeMessage): object {
  const type = answerUrl === null ? 'page.ended' : 'page.asked';
  return { type, data: { id, title, lines, url, answer_url: answerUrl, loud: isLoud } };
}
