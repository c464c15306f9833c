import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Integration } from '../../src/contract/integrations.ts';
import { startTestService, type TestService } from './test-service.ts';

/** Our service on a real port of loopback, for programs that send to it. */
export interface ListeningService extends AsyncDisposable {
  readonly tocsin: TestService;
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** Creates an integration. @returns its ingest key */
  integrate(type: Integration['type']): Promise<string>;
}

export async function startListeningService(): Promise<ListeningService> {
  await using stack = new AsyncDisposableStack();
  const tocsin = stack.use(await startTestService());
  const server = createAdaptorServer({ fetch: (request) => tocsin.service.fetch(request) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => {
    server.close();
  });
  const disposables = stack.move();
  return {
    tocsin,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async integrate(type) {
      const created = await tocsin.call('POST', '/integrations', { body: { type, name: `real ${type}` } });
      return Integration.parse(await created.json()).ingest_key ?? '';
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}
