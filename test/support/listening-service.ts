import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { vi } from 'vitest';
import { INGEST_PATHS, type IncomingType, Integration } from '../../src/contract/integrations.ts';
import { SignalList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import type { Snippet } from '../../src/service/core/snippet.ts';
import { FORMATS } from '../../src/service/ingest/formats/formats.ts';
import { HANG_MS } from './hang.ts';
import { startTestService, type TestService } from './test-service.ts';

/** Our service on a real port of loopback, for programs that send to it. */
export interface ListeningService extends AsyncDisposable {
  readonly tocsin: TestService;
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** Creates an integration. @returns its ingest key */
  integrate(type: Integration['type']): Promise<string>;
  /** Creates an integration. @returns what its page says to paste */
  setUp(type: IncomingType, config?: { readonly preset: string }): Promise<readonly Snippet[]>;
}

const WAIT = { timeout: HANG_MS, interval: 100 };

export async function startListeningService(
  options: Parameters<typeof startTestService>[0] = {},
): Promise<ListeningService> {
  await using stack = new AsyncDisposableStack();
  const tocsin = stack.use(await startTestService(options));
  const server = createAdaptorServer({ fetch: (request) => tocsin.service.fetch(request) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => {
    server.close();
  });
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const create = async (type: Integration['type'], config = {}) => {
    const created = await tocsin.call('POST', '/integrations', { body: { type, name: `real ${type}`, config } });
    return Integration.parse(await created.json()).ingest_key ?? '';
  };
  const disposables = stack.move();
  return {
    tocsin,
    url: publicUrl,
    integrate: create,
    setUp: async (type, config) => {
      const key = await create(type, config);
      return FORMATS[type].setUp({ publicUrl, url: publicUrl + INGEST_PATHS[type], key, ...config });
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

/** Waits until the signals are as wanted. */
export function untilSignals(
  tocsin: TestService,
  isWanted: (signals: SignalList['signals']) => boolean,
): Promise<SignalList['signals']> {
  return vi.waitUntil(async () => {
    const { signals } = SignalList.parse(await (await tocsin.call('GET', '/signals')).json());
    return isWanted(signals) && signals;
  }, WAIT);
}

/** Waits until all signals of the incident have ended. */
export function untilOver(tocsin: TestService, id: string): Promise<Incident> {
  return vi.waitUntil(async () => {
    tocsin.advance(500);
    const incident = Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());
    return incident.signals_ended_at != null && incident;
  }, WAIT);
}
