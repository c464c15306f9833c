import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import { vi } from 'vitest';
import { HANG_MS } from './hang.ts';

export interface ReceivedMail {
  readonly to: readonly string[];
  /** Headers and body, with the line breaks of encoded text removed. */
  readonly text: string;
}

/** A real SMTP server. */
export interface MailServer extends AsyncDisposable {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** What the server answers to a mail; null: it accepts it; `silent`: it accepts it and does not say so. */
  refuse: (mail: ReceivedMail) => { readonly status: number } | 'silent' | null;
  /** Waits until it has accepted this many. */
  take(count: number): Promise<readonly ReceivedMail[]>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, answer) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString().replaceAll('=\r\n', '').replaceAll('=3D', '=');
        const mail = { to: session.envelope.rcptTo.map(({ address }) => address), text };
        const refused = mailServer.refuse(mail);
        if (refused === null || refused === 'silent') {
          mails.push(mail);
          return refused === null ? answer() : undefined;
        }
        return answer(Object.assign(new Error('no'), { responseCode: refused.status }));
      });
    },
  });
  server.on('error', () => undefined); // a client that is gone
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const mailServer: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuse: () => null,
    async take(count) {
      await vi.waitUntil(() => mails.length >= count, { timeout: HANG_MS, interval: 10 });
      return mails.slice(0, count);
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(resolve)),
  };
  return mailServer;
}
