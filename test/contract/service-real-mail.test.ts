import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { AddedWay, Policy } from '../../src/contract/waking.ts';
import { startDebianServer } from '../support/debian-server.ts';
import { startTestService } from '../support/test-service.ts';
import { openIncidentOf } from '../support/webhook-receiver.ts';

/** Another one in each run: OpenSMTPD delivers again what it had in its queue when it was ended. */
const ANA = `ana-${randomUUID()}@tocsin.test`;

/** OpenSMTPD, which keeps the mail of one address and refuses all others. */
async function startOpenSmtpd() {
  const server = await startDebianServer({
    binary: '/usr/sbin/smtpd',
    package: 'opensmtpd',
    files: (port, folder) => ({
      'smtpd.conf': `
        listen on 127.0.0.1 port ${port} hostname mail.tocsin.test
        table people { "${ANA}" }
        table users { "${ANA}" = nobody }
        action "keep" maildir "${folder}/mail" virtual <users>
        match from any for rcpt-to <people> action "keep"
      `,
    }),
    args: ['-d', '-f', 'smtpd.conf'],
  });
  const kept = join(server.folder, 'mail/new');
  return {
    url: `smtp://127.0.0.1:${server.port}`,
    /** Those that came to the address, once there are so many. */
    take: (count: number): Promise<string[]> =>
      vi.waitUntil(
        async () => {
          const names = await readdir(kept).catch(() => []);
          const read = await Promise.all(names.map((name) => readFile(join(kept, name), 'utf8')));
          const mails = read.filter((mail) => mail.includes(ANA));
          return mails.length >= count && mails.map((mail) => mail.replaceAll('=\n', '').replaceAll('=3D', '='));
        },
        { timeout: 30_000 },
      ),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const headerOf = (mail: string | undefined, name: string) => new RegExp(`^${name}: (.+)$`, 'im').exec(mail ?? '')?.[1];

it('wakes through OpenSMTPD: code, call and "taken by" arrive as one thread, and an address that it refuses is said to be gone', async () => {
  await using smtpd = await startOpenSmtpd();
  await using tocsin = await startTestService({ mail: { smtpUrl: smtpd.url, from: 'Tocsin <tocsin@tocsin.test>' } });
  const call = async (method: string, path: string, body: object) =>
    (await tocsin.call(method, path, { body })).json() as Promise<unknown>;
  await call('PUT', '/people/email:ana@tocsin.test', { name: 'Ana' });
  const add = async (address: string) =>
    AddedWay.parse(await call('POST', '/people/email:ana@tocsin.test/ways', { kind: 'email', address }));

  const refused = await add('nobody@tocsin.test');
  const way = await add(ANA);
  const [proof] = await smtpd.take(1);
  const code = /\d{6}/.exec(headerOf(proof, 'Subject') ?? '')?.[0];
  await call('POST', `/ways/${way.id}/verify`, { code });
  const steps = [{ after_s: 0, to: [{ kind: 'person', id: way.person_id }] }];
  Policy.parse(await call('POST', '/policies', { name: 'Everything', user: 'ana', steps, wait_s: 3_600 }));
  const incident = await openIncidentOf(tocsin);
  const asked = (await smtpd.take(2)).find((mail) => mail.includes('I have it: '));
  await call('POST', `/incidents/${incident}/acknowledge`, { user: 'ben' });
  const taken = (await smtpd.take(3)).find((mail) => headerOf(mail, 'Subject')?.startsWith('Taken by ben'));

  expect([refused.fault, way.fault]).toEqual(['the mail server answered 550', null]);
  expect(refused.unusable_because).toBe('the mail server answered 550');
  expect(headerOf(asked, 'Message-ID')).toMatch(/^<attempt_\w+@tocsin\.test>$/);
  expect(asked).toContain('payments');
  expect(headerOf(taken, 'In-Reply-To')).toBe(headerOf(asked, 'Message-ID'));
});
