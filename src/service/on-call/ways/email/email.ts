import { createTransport } from 'nodemailer';
import { z } from 'zod';
import type { WakeMessage } from '../../waking/message.ts';
import { type Way, WayError } from '../way.ts';

const Address = z.object({ email: z.email().max(320).toLowerCase() });
type Address = z.infer<typeof Address>;

const TIMEOUT_MS = 5_000;

/** Each mail has a connection. Postfix takes 50 of one client by default, and two processes may come from one address. */
const PACE = 20;

export interface MailSettings {
  /** `smtp://user:password@host:port`, or `smtps:` for TLS from the start. */
  readonly smtpUrl: string;
  readonly from: string;
}

/** @param settings null: no server is set, so no mail is sent */
export function createEmailWay(settings: MailSettings | null): Way<Address> {
  const limits = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = settings === null ? null : createTransport({ url: settings.smtpUrl, ...limits });

  async function send({ email }: Address, message: WakeMessage): Promise<null> {
    await transport?.sendMail(mailOf(message, email, settings?.from ?? '')).catch((cause: unknown) => {
      throw toWayError(cause);
    });
    return null;
  }

  return {
    address: z.union([z.string().transform((email) => ({ email })), Address]).pipe(Address),
    describe: ({ email }) => email,
    provedBy: 'code',
    pace: PACE,
    missing: settings === null ? 'no mail server is set: SMTP_URL' : null,
    lostAnswer: { by: 'repeating' },
    call: send,
    takeBack: ({ address }, message) => send(address, message),
  };
}

/** A repetition has the same Message-ID, so that readers show it once. What follows it up is in its thread. */
function mailOf({ id, title, lines, url, answerUrl }: WakeMessage, to: string, from: string) {
  const domain = from.split('@').at(-1)?.replace(/>$/, '') ?? 'tocsin';
  const isFirst = answerUrl !== null;
  const messageId = `<${id}${isFirst ? '' : '.taken'}@${domain}>`;
  const text = [...lines, ...(answerUrl === null ? [] : ['', `I have it: ${answerUrl}`]), '', url].join('\n');
  return {
    from,
    to,
    subject: title,
    text,
    messageId,
    ...(isFirst ? { priority: 'high' as const } : { inReplyTo: `<${id}@${domain}>` }),
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** 5xx of the recipient: there is no such address. Another 5xx: the server will not take this mail (RFC 5321, 4.2.1). */
function toWayError(cause: unknown): WayError {
  const { code, responseCode } = Object(cause);
  const status = typeof responseCode === 'number' ? responseCode : 0;
  if (status >= 500) {
    const failure = code === 'EENVELOPE' && (status === 550 || status === 553) ? 'gone' : 'refused';
    return new WayError(failure, `the mail server answered ${status}`, { cause });
  }
  const what =
    status === 0 ? `cannot be reached (${typeof code === 'string' ? code : 'unknown'})` : `answered ${status}`;
  return new WayError('unavailable', `the mail server ${what}`, { cause });
}
