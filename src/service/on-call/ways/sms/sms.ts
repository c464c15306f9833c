import { z } from 'zod';
import type { Provider } from '../provider.ts';
import { maskNumber, type PhoneNumber, phoneAddress } from '../twilio/phone-number.ts';
import { createTwilioApi, faultOf, type TwilioSettings } from '../twilio/twilio-api.ts';
import { type Heard, type Sent, type Way, WayError } from '../way.ts';
import { textOf } from './text.ts';

const Message = z.object({
  sid: z.string(),
  body: z.string().nullish(),
  direction: z.string().nullish(),
  status: z.string().nullish(),
  error_code: z.number().nullish(),
});
const Messages = z.object({ messages: z.array(Message) });

/** Clocks of Twilio and of this installation may differ by as much. */
const SLACK_MS = 60_000;
const STOP = /^(stop|stopall|unsubscribe|cancel|end|quit)$/i;

/** @param settings null: no account is set */
export function createSmsWay(settings: TwilioSettings | null, provider: Provider): Way<PhoneNumber> {
  const api = settings === null ? null : createTwilioApi(settings, provider);
  const from = settings?.from ?? '';

  /** Of both directions since a message was sent. */
  async function list(to: string, sender: string, at: Date) {
    const since = new Date(at.getTime() - SLACK_MS).toISOString();
    const query = { To: to, From: sender, 'DateSent>': since, PageSize: '50' };
    return (await api?.get('/Messages.json', Messages, query))?.messages ?? [];
  }

  return {
    address: phoneAddress(settings?.countries ?? []),
    describe: ({ number }) => number,
    mask: maskNumber,
    provedBy: 'code',
    missing: settings === null ? 'SMS needs an account of Twilio: TWILIO_ACCOUNT_SID' : null,
    lostAnswer: {
      by: 'finding',
      async find({ address: { number }, code, at }) {
        const sent = await list(number, from, at);
        return sent.find(({ body }) => code !== null && body?.includes(code) === true)?.sid ?? null;
      },
    },

    async call({ number }, message) {
      const sent = await api?.post('/Messages.json', Message, { To: number, From: from, Body: textOf(message) });
      return sent?.sid ?? null;
    },

    async hear({ address: { number }, code, reference, at }: Sent<PhoneNumber>): Promise<Heard> {
      const replies = (await list(from, number, at)).map(({ body }) => (body ?? '').trim());
      if (replies.some((reply) => code !== null && reply.toUpperCase().includes(code))) {
        return 'answered';
      }
      if (replies.some((reply) => STOP.test(reply))) {
        return faultOf(200, 21610);
      }
      const sent = await api?.get(`/Messages/${reference}.json`, Message);
      const isLost = sent?.status === 'failed' || sent?.status === 'undelivered';
      return isLost ? undelivered(sent.error_code ?? null) : 'nothing yet';
    },
  };
}

function undelivered(code: number | null): WayError {
  const fault = faultOf(200, code);
  return fault.failure === 'gone' ? fault : new WayError('refused', `Twilio could not deliver it (error ${code})`);
}
