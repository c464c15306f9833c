import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PLACES_OF_MANY_HOSTS } from '../../waking/host.ts';
import type { WakeMessage } from '../../waking/message.ts';
import type { Provider } from '../provider.ts';
import { parseAnswer } from '../provider.ts';
import { type Sent, type Way, WayError } from '../way.ts';

const TOPIC = /^[-_A-Za-z0-9]{1,64}$/;
const SHOWN_SIGNS = 3;

/** The address of a topic. Who knows it can read and answer: it is a secret. */
const Address = z.object({
  url: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .refine((url) => TOPIC.test(topicOf(url)), 'must end with the topic: https://ntfy.sh/your-secret-topic'),
});
type Address = z.infer<typeof Address>;

export interface NtfySettings {
  /** The server of topics that are given by their name alone. It may be a private address. */
  readonly url: string;
  /** An access token of that server; null: its topics are open. */
  readonly token: string | null;
}

/** What the server keeps of a message (docs.ntfy.sh/subscribe/api). */
const Kept = z.looseObject({
  id: z.string(),
  event: z.string(),
  message: z.string().optional(),
  click: z.string().optional(),
});

/** Clocks of the server and of this installation may differ by as much. */
const SLACK_S = 60;
const PRIORITY = { loud: 5, quiet: 3 } as const;

/** ntfy (docs.ntfy.sh/publish): push messages by a server that anybody can run. @param isPublic phones reach our links */
export function createNtfyWay(settings: NtfySettings, provider: Provider, isPublic: boolean): Way<Address> {
  const own = new URL(settings.url).origin;
  const isOwn = (url: string) => URL.parse(url)?.origin === own;

  function ask(url: string, body?: object) {
    const isTrusted = isOwn(url);
    const headers: Record<string, string> =
      isTrusted && settings.token !== null ? { authorization: `Bearer ${settings.token}` } : {};
    return provider.call('ntfy', { url, headers, isTrusted, ...(body !== undefined && { method: 'POST', body }) });
  }

  async function publish({ url }: Address, message: WakeMessage): Promise<string> {
    const { status, text } = await ask(new URL('/', url).href, bodyOf(url, message));
    if (status >= 300) {
      throw new WayError('refused', `ntfy answered ${status}`);
    }
    return parseAnswer('ntfy', Kept, text).id;
  }

  function bodyOf(url: string, { tag, title, lines, url: page, answerUrl, code, isLoud }: WakeMessage) {
    // A phone without a way to us answers by a message to the topic, which is read there.
    const answer = isPublic ? { url: answerUrl } : { url, body: saidBy(code), headers: { Priority: '1' } };
    const action = { action: 'http', label: 'I have it', method: 'POST', clear: true, ...answer };
    return {
      topic: topicOf(url),
      title,
      message: lines.join('\n'),
      priority: isLoud ? PRIORITY.loud : PRIORITY.quiet,
      click: answerUrl ?? page,
      sequence_id: createHash('sha256').update(tag).digest('base64url').slice(0, 32), // replaces what is shown
      ...(answerUrl !== null && { actions: [action] }),
    };
  }

  async function list({ address: { url }, at }: Sent<Address>) {
    const since = Math.floor(at.getTime() / 1_000) - SLACK_S;
    const { status, text } = await ask(`${url}/json?poll=1&since=${since}`);
    if (status >= 300) {
      throw new WayError('unavailable', `ntfy answered ${status}`);
    }
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return lines.map((line) => parseAnswer('ntfy', Kept, line)).filter(({ event }) => event === 'message');
  }

  return {
    address: z.union([z.string().transform((text) => ({ url: urlOf(text) })), Address]).pipe(Address),
    describe: ({ url }) => url.replace(topicOf(url), `${topicOf(url).slice(0, SHOWN_SIGNS)}…`),
    provedBy: 'answer',
    missing: null,
    pace: PLACES_OF_MANY_HOSTS,
    lostAnswer: {
      by: 'finding',
      find: async (sent) => (await list(sent)).find(({ click }) => click === sent.answerUrl)?.id ?? null,
    },
    call: publish,
    takeBack: ({ address }, message) => publish(address, message),
    hear: async (sent) =>
      (await list(sent)).some(({ message }) => message === saidBy(sent.code)) ? 'answered' : 'nothing yet',
  };

  function urlOf(text: string): string {
    return TOPIC.test(text) ? `${settings.url}/${text}` : text;
  }
}

function topicOf(url: string): string {
  return URL.parse(url)?.pathname.slice(1) ?? '';
}

function saidBy(code: string | null): string {
  return `I have it: ${code}`;
}
