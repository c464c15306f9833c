import { z } from 'zod';
import type { WakeMessage } from '../../waking/message.ts';
import type { Provider, ProviderAnswer } from '../provider.ts';
import { parseAnswer } from '../provider.ts';
import { type Heard, type Sent, type Way, WayError } from '../way.ts';

/** A user or group key. */
const Address = z.object({ user: z.string().regex(/^[A-Za-z0-9]{30}$/, 'must be a user key of Pushover: 30 signs') });
type Address = z.infer<typeof Address>;

const SHOWN_SIGNS = 4;

export interface PushoverSettings {
  readonly token: string;
  /** Without a slash at the end. */
  readonly url: string;
}

/** Emergency priority: it sounds again until somebody acknowledges it (pushover.net/api#priority). */
const EMERGENCY = { priority: '2', retry: '60', expire: '10800' } as const;

const Accepted = z.object({ receipt: z.string().optional() });
const Refused = z.object({ user: z.string().optional() });
const Receipt = z.object({ acknowledged: z.number(), expired: z.number() });

/**
 * Pushover (pushover.net/api), which asks for few connections at a time. A call whose answer is lost cannot be found, so it
 * is repeated once; all of its messages have one tag, by which they are cancelled together.
 */
export function createPushoverWay(settings: PushoverSettings | null, provider: Provider): Way<Address> {
  const { token = '', url = '' } = settings ?? {};

  async function post(path: string, fields: Readonly<Record<string, string>>): Promise<ProviderAnswer> {
    const body = new URLSearchParams({ token, ...fields });
    return judge(await provider.call('Pushover', { url: `${url}/1/${path}`, method: 'POST', body }));
  }

  return {
    address: z.union([z.string().transform((user) => ({ user })), Address]).pipe(Address),
    describe: ({ user }) => `${user.slice(0, SHOWN_SIGNS)}…`,
    provedBy: 'answer',
    missing: settings === null ? 'Pushover is not set up: PUSHOVER_TOKEN' : null,
    pace: 2,
    lostAnswer: { by: 'at most two calls' },

    async call({ user }, message) {
      const fields = { user, ...fieldsOf(message), ...(message.isLoud ? EMERGENCY : { priority: '0' }) };
      const { text } = await post('messages.json', { ...fields, tags: message.id });
      return parseAnswer('Pushover', Accepted, text).receipt ?? null;
    },

    async takeBack({ id, address: { user } }, message) {
      await post(`receipts/cancel_by_tag/${id}.json`, {});
      await post('messages.json', { user, ...fieldsOf(message), priority: '-1' });
    },

    async hear({ reference }: Sent<Address>): Promise<Heard> {
      // The token can only be given in the address here (pushover.net/api/receipts). No log and no error contains it.
      const path = `receipts/${reference}.json?token=${token}`;
      const { text } = judge(await provider.call('Pushover', { url: `${url}/1/${path}` }));
      const { acknowledged, expired } = parseAnswer('Pushover', Receipt, text);
      if (acknowledged === 1) {
        return 'answered';
      }
      return expired === 1 ? new WayError('refused', 'Pushover gave up: nobody acknowledged it') : 'nothing yet';
    },
  };
}

function fieldsOf({ title, lines, url, answerUrl }: WakeMessage): Record<string, string> {
  const link = answerUrl === null ? { url } : { url: answerUrl, url_title: 'I have it' };
  return { title, message: lines.join('\n'), ...link };
}

/** @throws {WayError} it refused the request */
function judge(answer: ProviderAnswer): ProviderAnswer {
  if (answer.status < 300) {
    return answer;
  }
  const { user } = parseAnswer('Pushover', Refused, answer.text);
  throw user === undefined
    ? new WayError('refused', `Pushover answered ${answer.status}`)
    : new WayError('gone', 'Pushover does not know this user key any more');
}
