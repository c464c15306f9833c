import { vi } from 'vitest';
import { HANG_MS } from './hang.ts';
import { startLoopback } from './loopback.ts';

/** What is published, as JSON (docs.ntfy.sh/publish/#publish-as-json), and with what the server adds. */
interface NtfyMessage {
  readonly id: string;
  readonly event: 'message';
  readonly time: number;
  readonly topic: string;
  readonly title?: string;
  readonly message: string;
  readonly priority?: number;
  readonly click?: string;
  readonly sequence_id?: string;
  readonly actions?: readonly { readonly url: string; readonly method: string; readonly body?: string }[];
}

/** A stand-in of ntfy with a phone, written from its public documentation: neither Debian nor npm has the server. */
export interface NtfyServer extends AsyncDisposable {
  readonly url: string;
  readonly messages: readonly NtfyMessage[];
  /** Answers to the next messages that are lost after they were published. */
  lost: number;
  /** The status of further answers; 200: they are carried out. */
  status: number;
  /** Presses the first button of a message. */
  press(message: NtfyMessage | undefined): Promise<void>;
  take(count: number): Promise<readonly NtfyMessage[]>;
}

export async function startNtfyServer(): Promise<NtfyServer> {
  const messages: NtfyMessage[] = [];
  const server = await startLoopback((response, request) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://ntfy.test');
    const [, topic = ''] = pathname.split('/');
    if (ntfy.status !== 200) {
      return response.writeHead(ntfy.status).end();
    }
    if (request.method === 'GET') {
      const since = Number(searchParams.get('since'));
      const kept = messages.filter((each) => each.topic === topic && each.time >= since);
      return response.end(kept.map((each) => `${JSON.stringify(each)}\n`).join(''));
    }
    const body = server.bodies.at(-1) ?? '';
    const given = topic === '' ? JSON.parse(body) : { topic, message: body };
    const kept = { ...given, id: `m${messages.length}`, event: 'message', time: Math.floor(Date.now() / 1_000) };
    messages.push(kept);
    if (ntfy.lost > 0) {
      ntfy.lost -= 1;
      return response.destroy();
    }
    return response.end(JSON.stringify(kept));
  });
  const ntfy: NtfyServer = {
    url: server.url,
    messages,
    lost: 0,
    status: 200,
    async press(message) {
      const [action] = message?.actions ?? [];
      await fetch(action?.url ?? '', { method: action?.method ?? '', body: action?.body ?? null });
    },
    async take(count) {
      await vi.waitUntil(() => messages.length >= count, { timeout: HANG_MS, interval: 10 });
      return messages.slice(0, count);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return ntfy;
}
