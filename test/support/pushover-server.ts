import { vi } from 'vitest';
import type { PushoverSettings } from '../../src/service/on-call/ways/pushover/pushover.ts';
import { HANG_MS } from './hang.ts';
import { startLoopback } from './loopback.ts';

interface PushoverMessage {
  readonly fields: Readonly<Record<string, string>>;
  readonly receipt: string | null;
  acknowledged: boolean;
  cancelled: boolean;
}

/** A stand-in of Pushover with a phone, written from its public documentation (pushover.net/api): there is no server to run. */
export interface PushoverServer extends AsyncDisposable {
  readonly settings: PushoverSettings;
  readonly messages: readonly PushoverMessage[];
  /** Requests for receipts. */
  readonly polls: readonly string[];
  /** Answers to the next messages that are lost after they were sent. */
  lost: number;
  /** The answer to further messages; null: they are sent. */
  refuse: { readonly status: number; readonly headers?: Record<string, string>; readonly body: object } | null;
  take(count: number): Promise<readonly PushoverMessage[]>;
}

const TOKEN = 'the0secret0token0of0pushover01';

export async function startPushoverServer(): Promise<PushoverServer> {
  const messages: PushoverMessage[] = [];
  const server = await startLoopback((response, request) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://pushover.test');
    const fields = Object.fromEntries(new URLSearchParams(server.bodies.at(-1) ?? ''));
    const [, tag] = /^\/1\/receipts\/cancel_by_tag\/(\w+)\.json$/.exec(pathname) ?? [];
    const [, receipt] = /^\/1\/receipts\/(\w+)\.json$/.exec(pathname) ?? [];
    const write = (status: number, body: object, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    if ((searchParams.get('token') ?? fields.token) !== TOKEN) {
      return write(400, { token: 'invalid', status: 0 });
    }
    if (receipt !== undefined) {
      const sent = messages.find((each) => each.receipt === receipt);
      return write(200, { status: 1, acknowledged: sent?.acknowledged === true ? 1 : 0, expired: 0 });
    }
    if (tag !== undefined) {
      for (const each of messages.filter(({ fields: { tags } }) => tags === tag)) {
        each.cancelled = true;
      }
      return write(200, { status: 1 });
    }
    if (pushover.refuse !== null) {
      return write(pushover.refuse.status, pushover.refuse.body, pushover.refuse.headers);
    }
    const given = fields.priority === '2' ? `r${messages.length}` : null;
    messages.push({ fields, receipt: given, acknowledged: false, cancelled: false });
    if (pushover.lost > 0) {
      pushover.lost -= 1;
      return response.destroy();
    }
    return write(200, { status: 1, request: 'x', ...(given !== null && { receipt: given }) });
  });
  const pushover: PushoverServer = {
    settings: { token: TOKEN, url: server.url },
    messages,
    get polls() {
      return server.requests.filter((request) => request.startsWith('GET /1/receipts/'));
    },
    lost: 0,
    refuse: null,
    async take(count) {
      await vi.waitUntil(() => messages.length >= count, { timeout: HANG_MS, interval: 10 });
      return messages.slice(0, count);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return pushover;
}
