import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

/** A provider that takes its time, and sometimes says that it has too much to do. */
export interface SlowProvider extends AsyncDisposable {
  /** Of the web, without a path. */
  readonly url: string;
  readonly smtpUrl: string;
  /** When each message was first seen, in milliseconds, by path or recipient. */
  readonly firstSeenAt: ReadonlyMap<string, number>;
  readonly calls: () => number;
}

export async function startSlowProvider(answerMs: number, limitedShare: number): Promise<SlowProvider> {
  const firstSeenAt = new Map<string, number>();
  let calls = 0;
  let limited = 0;
  /** @returns whether it takes the message */
  async function take(message: string): Promise<boolean> {
    calls += 1;
    firstSeenAt.set(message, firstSeenAt.get(message) ?? Date.now());
    await wait(answerMs);
    const isLimited = limited < limitedShare * calls;
    limited += isLimited ? 1 : 0;
    return !isLimited;
  }

  const web = createServer((request, response) => {
    request.resume();
    void take(request.url ?? '').then((isTaken) => response.writeHead(isTaken ? 201 : 429).end());
  }).listen(0, '127.0.0.1');
  const mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, answer) {
      stream.resume();
      const busy = Object.assign(new Error('too busy'), { responseCode: 450 });
      const [to] = session.envelope.rcptTo;
      void take(to?.address ?? '').then((isTaken) => (isTaken ? answer() : answer(busy)));
    },
  });
  mail.on('error', () => undefined); // a client that is gone
  const listening = mail.listen(0, '127.0.0.1');
  await Promise.all([once(web, 'listening'), once(listening, 'listening')]);
  const portOf = (server: { address(): AddressInfo | string | null }) => (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${portOf(web)}`,
    smtpUrl: `smtp://127.0.0.1:${portOf(listening)}`,
    firstSeenAt,
    calls: () => calls,
    async [Symbol.asyncDispose]() {
      web.closeAllConnections();
      web.close();
      await new Promise<void>((resolve) => mail.close(resolve));
    },
  };
}
