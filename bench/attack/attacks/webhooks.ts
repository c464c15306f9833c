import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Attack, defineAttack } from '../attack.ts';
import { type Target, waitUntil } from '../target.ts';

/** Addresses inside the network of the service, written in all forms that parsers accept. */
const PRIVATE_URLS = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://0x7f000001/',
  'http://2130706433/',
  'http://0.0.0.0/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://169.254.169.254/latest/meta-data',
  'http://[fd00:ec2::254]/',
  'http://[fe80::1]/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.0.1/',
  'http://100.64.0.1/',
  'http://user:password@example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
];

interface Receiver extends AsyncDisposable {
  readonly port: number;
  readonly requests: () => number;
  readonly connections: () => number;
}

async function startReceiver(respond: RequestListener): Promise<Receiver> {
  let requests = 0;
  let connections = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    respond(request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => requests,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function addWebhook(target: Target, url: string): Promise<{ readonly status: number; readonly id: string }> {
  const answer = await target.call('POST', '/v1/integrations', { body: { type: 'webhook', config: { url } } });
  const { id = '' } = (await answer.json()) as { id?: string };
  return { status: answer.status, id };
}

async function readError(target: Target, id: string): Promise<string | null> {
  const list = (await (await target.call('GET', '/v1/integrations?limit=200')).json()) as {
    integrations: { id: string; last_error: string | null }[];
  };
  return list.integrations.find((integration) => integration.id === id)?.last_error ?? null;
}

/** Makes an event for the webhooks. */
async function fail(target: Target, service: string): Promise<void> {
  await target.call('POST', '/v1/generic', { body: { service, summary: `${service} has failed` } });
}

const PRIVATE_ALLOWED = { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' };

export const webhookAttacks: readonly Attack[] = [
  defineAttack({
    name: 'webhooks to private, loopback, link-local and metadata addresses',
    isQuick: true,
    async run(target) {
      const statuses: number[] = [];
      for (const url of PRIVATE_URLS) {
        statuses.push((await addWebhook(target, url)).status);
      }
      return statuses;
    },
    describe: (statuses) => `${statuses.filter((status) => status === 422).length} of ${statuses.length} refused`,
    isHeld: (statuses) => statuses.every((status) => status === 422),
  }),
  defineAttack({
    name: 'a webhook to a name that leads to loopback when it is sent',
    isQuick: true,
    async run(target) {
      await using receiver = await startReceiver((_request, response) => response.end());
      const { id } = await addWebhook(target, `http://localhost:${receiver.port}/`);
      await fail(target, 'rebound');
      await waitUntil(20_000, async () => (await readError(target, id)) !== null);
      return { error: await readError(target, id), connections: receiver.connections() };
    },
    describe: ({ error, connections }) => `${connections} connections; ${error}`,
    isHeld: ({ error, connections }) => connections === 0 && (error?.includes('not public') ?? false),
  }),
  defineAttack({
    name: 'a webhook that redirects to another address',
    isQuick: false,
    settings: PRIVATE_ALLOWED,
    async run(target) {
      await using secret = await startReceiver((_request, response) => response.end('secret'));
      await using receiver = await startReceiver((_request, response) =>
        response.writeHead(307, { location: `http://127.0.0.1:${secret.port}/` }).end(),
      );
      const { id } = await addWebhook(target, `http://127.0.0.1:${receiver.port}/`);
      await fail(target, 'redirected');
      await waitUntil(20_000, async () => (await readError(target, id)) !== null);
      return { asked: receiver.requests(), followed: secret.connections() };
    },
    describe: ({ asked, followed }) => `${asked} redirects, ${followed} followed`,
    isHeld: ({ asked, followed }) => asked > 0 && followed === 0,
  }),
  defineAttack({
    name: 'ten webhooks that never answer and ten that fail, beside a sound one',
    isQuick: false,
    settings: PRIVATE_ALLOWED,
    async run(target) {
      await using hanging = await startReceiver(() => undefined);
      await using failing = await startReceiver((_request, response) => response.writeHead(500).end());
      await using sound = await startReceiver((_request, response) => response.writeHead(204).end());
      for (let index = 0; index < 10; index += 1) {
        await addWebhook(target, `http://127.0.0.1:${hanging.port}/${index}`);
        await addWebhook(target, `http://127.0.0.1:${failing.port}/${index}`);
      }
      const { id } = await addWebhook(target, `http://127.0.0.1:${sound.port}/`);
      const waits: number[] = [];
      for (let index = 0; index < 5; index += 1) {
        const startedAt = performance.now();
        const before = sound.requests();
        await fail(target, `depot-${index}`);
        await waitUntil(30_000, async () => sound.requests() > before);
        waits.push(performance.now() - startedAt);
      }
      return { slowestMs: Math.max(...waits), error: await readError(target, id) };
    },
    describe: ({ slowestMs, error }) =>
      `the sound one waits ${(slowestMs / 1_000).toFixed(1)} s at most; its error: ${error}`,
    isHeld: ({ slowestMs, error }) => slowestMs < 15_000 && error === null,
  }),
];
