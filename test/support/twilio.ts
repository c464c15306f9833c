import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { vi } from 'vitest';
import type { TwilioSettings } from '../../src/service/on-call/ways/twilio/twilio-api.ts';
import { HANG_MS } from './hang.ts';
import { type Loopback, startLoopback } from './loopback.ts';
import { startProxyOver } from './validating-proxy.ts';

const ACCOUNT = `AC${'0'.repeat(31)}1`;
const TOKEN = 'the-secret-token-of-twilio';
const FROM = '+493012345678';

interface Text {
  readonly sid: string;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly direction: 'inbound' | 'outbound-api';
  readonly date_created: string;
  status: 'queued' | 'delivered' | 'undelivered' | 'received';
  error_code: number | null;
}

interface Call {
  readonly sid: string;
  readonly from: string;
  readonly to: string;
  readonly date_created: string;
  /** Not told to anybody. */
  readonly twiml: string;
  status: 'queued' | 'in-progress' | 'completed' | 'busy';
}

/** Twilio, with a state, behind Prism over the cut of its OpenAPI document (test/fixtures/twilio). */
export interface Twilio extends AsyncDisposable {
  readonly settings: TwilioSettings;
  readonly texts: Text[];
  readonly calls: Call[];
  /** One sentence for each request and response that the document does not allow. */
  readonly violations: readonly string[];
  /** Answers to the next posts that are lost after they were carried out. */
  lost: number;
  /** Number of the error of the next posts; null: they are carried out. */
  error: number | null;
  /** An SMS from a phone to the number of the account. */
  reply(from: string, body: string): void;
  /** The form and the signature of the request that follows a key in a call, and where it goes. */
  press(call: Call | undefined, key: string): { url: string; form: Record<string, string>; signature: string };
  /** Waits until so many SMS were sent. */
  takeTexts(count: number): Promise<readonly Text[]>;
  takeCalls(count: number): Promise<readonly Call[]>;
}

export async function startTwilio(): Promise<Twilio> {
  await using stack = new AsyncDisposableStack();
  const texts: Text[] = [];
  const calls: Call[] = [];
  const authorization = `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString('base64')}`;
  const sidOf = (prefix: string, count: number) => prefix + String(count).padStart(32, '0');
  const date = () => new Date().toUTCString();

  function answer(path: string, query: URLSearchParams, form: URLSearchParams | null): readonly [number, object] {
    const own = /^\/(Messages|Calls)\/(\w+)\.json$/.exec(path);
    const [kind, sid] = own === null ? [/^\/(\w+)\.json$/.exec(path)?.[1], null] : [own[1], own[2]];
    const field = (name: string) => form?.get(name) ?? '';
    if (kind === 'Calls') {
      const call = calls.find((each) => each.sid === sid);
      if (sid === null && form !== null) {
        const [to, twiml] = [field('To'), field('Twiml')];
        const placed: Call = {
          sid: sidOf('CA', calls.length),
          from: FROM,
          to,
          twiml,
          date_created: date(),
          status: 'queued',
        };
        calls.push(placed);
        return [201, told(placed)];
      }
      if (call !== undefined && form !== null) {
        call.status = 'completed';
      }
      return [200, call === undefined ? { calls: calls.filter(isAsked(query)).map(told).toReversed() } : told(call)];
    }
    if (form !== null) {
      const body = field('Body');
      const sent = { from: FROM, to: field('To'), body, direction: 'outbound-api', date_created: date() } as const;
      const text: Text = { ...sent, sid: sidOf('SM', texts.length), status: 'queued', error_code: null };
      texts.push(text);
      return [201, text];
    }
    const text = texts.find((each) => each.sid === sid);
    return [200, text ?? { messages: texts.filter(isAsked(query)).toReversed() }];
  }

  const server: Loopback = stack.use(
    await startLoopback((response, request) => {
      const body = server.bodies.at(-1) ?? '';
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://twilio.test');
      const form = request.method === 'POST' ? new URLSearchParams(body) : null;
      if (request.headers.authorization !== authorization) {
        return write(response, 401, { code: 20003, status: 401 });
      }
      if (form !== null && twilio.error !== null) {
        return write(response, 400, { code: twilio.error, message: `not to ${form.get('To')}`, status: 400 });
      }
      const [status, json] = answer(pathname.slice(`/2010-04-01/Accounts/${ACCOUNT}`.length), searchParams, form);
      if (form !== null && twilio.lost > 0) {
        twilio.lost -= 1;
        return response.destroy();
      }
      return write(response, status, json);
    }),
  );
  const document: unknown = JSON.parse(readFileSync('test/fixtures/twilio/openapi.json', 'utf8'));
  const proxy = stack.use(await startProxyOver(Object(document), server.url));
  const settings = { accountSid: ACCOUNT, authToken: TOKEN, from: FROM, countries: ['DE'], url: proxy.url };
  const resources = stack.move();
  const take = async <Each>(all: readonly Each[], count: number) => {
    await vi.waitUntil(() => all.length >= count, { timeout: HANG_MS, interval: 10 });
    return all.slice(0, count);
  };

  const twilio: Twilio = {
    settings,
    texts,
    calls,
    violations: proxy.violations,
    lost: 0,
    error: null,
    reply(from, body) {
      const sent = { from, to: FROM, body, direction: 'inbound', date_created: date() } as const;
      texts.push({ ...sent, sid: sidOf('SM', texts.length), status: 'received', error_code: null });
    },
    press(call, key) {
      const url = /action="([^"]+)"/.exec(call?.twiml ?? '')?.[1] ?? '';
      const form = { AccountSid: ACCOUNT, CallSid: call?.sid ?? '', Digits: key, From: FROM, To: call?.to ?? '' };
      const fields = Object.entries(form).flat().join(''); // their names are in order
      return {
        url,
        form,
        signature: createHmac('sha1', TOKEN)
          .update(url + fields)
          .digest('base64'),
      };
    },
    takeTexts: (count) => take(texts, count),
    takeCalls: (count) => take(calls, count),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
  return twilio;
}

function told({ twiml: _twiml, ...call }: Call): object {
  return call;
}

function isAsked(query: URLSearchParams) {
  return ({ to, from }: { readonly to: string; readonly from: string }) =>
    to === query.get('To') && from === query.get('From');
}

function write(response: ServerResponse, status: number, json: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
}
