import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { openFrontDoor } from '../../src/app/front-door.ts';
import { publicPathOf } from '../../src/service/http/public-path.ts';
import { cookieOf, csrfTokenIn } from '../support/dashboard.ts';
import { startTestService } from '../support/test-service.ts';

const PATH = '/tools/tocsin';
/** Attributes of a page that name something at the same server. What a form sends back (`value`) stays as it is. */
const ADDRESS = /\s(?!value=)([\w:-]+)="(\/[^"]*)"/g;

/** A reverse proxy that passes on what is below `PATH` alone. */
async function startProxy(keepsPath: boolean) {
  let target = '';
  const server = createServer((incoming, answer) => {
    const { method, headers, url = '' } = incoming;
    if (url !== PATH && !url.startsWith(`${PATH}/`)) {
      answer.writeHead(404).end('another product');
      return;
    }
    const path = keepsPath ? url : url.slice(PATH.length) || '/';
    const onward = forward(`${target}${path}`, { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passOnTo(url: string) {
      target = url;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

describe.each([
  { proxy: 'keeps the path', keepsPath: true },
  { proxy: 'strips the path', keepsPath: false },
])('behind a proxy that $proxy', ({ keepsPath }) => {
  let stack: AsyncDisposableStack;
  let origin: string;
  let cookie: string;
  let call: (path: string, init?: RequestInit) => Promise<Response>;
  let tocsin: Awaited<ReturnType<typeof startTestService>>;

  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    const proxy = stack.use(await startProxy(keepsPath));
    origin = proxy.origin;
    const publicUrl = origin + PATH;
    const door = stack.use(await openFrontDoor('127.0.0.1', 0, [], publicPathOf(publicUrl)));
    proxy.passOnTo(door.url);
    tocsin = stack.use(await startTestService({ publicUrl, isPublicUrlSet: true }));
    door.handlers.service = tocsin.service.fetch;
    stack.defer(() => tocsin.service.endStreams());
    cookie = '';
    call = (path, { headers = {}, ...init } = {}) =>
      fetch(new URL(path, origin), { redirect: 'manual', headers: { cookie, ...Object(headers) }, ...init });
    return () => stack.disposeAsync();
  });

  const send = (address: string, fields: Record<string, string>) =>
    call(address, {
      method: 'POST',
      headers: { origin, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(fields),
    });

  /** By the link that the API made, as a person does. */
  async function signIn(): Promise<Response> {
    const { url } = await tocsin.service.createAdminLink();
    const page = await (await call(url)).text();
    const answer = await send(addressesOf(page).find(({ name }) => name === 'action')?.address ?? '', {});
    cookie = cookieOf(answer);
    return answer;
  }

  function addressesOf(page: string) {
    return [...page.matchAll(ADDRESS)].map(([, name = '', value = '']) => ({
      name,
      address: value.replaceAll('&amp;', '&'),
    }));
  }

  it('leads from each page to the next, and never out of the path', async () => {
    await tocsin.failIn(['checkout']);
    await tocsin.openIncident();
    const signedIn = await signIn();
    const first = await call(PATH);
    const seen = new Set<string>();
    const out: string[] = [];
    const broken: string[] = [];

    const queue = [first.headers.get('location') ?? '', signedIn.headers.get('location') ?? ''];
    for (let address = queue.pop(); address !== undefined; address = queue.pop()) {
      const key = address.replace(/[?#].*$/, '');
      if (seen.has(key) || key.includes('/live/')) {
        continue;
      }
      seen.add(key);
      const answer = await call(address);
      const type = answer.headers.get('content-type') ?? '';
      const text = await answer.text();
      if (answer.status === 404) {
        broken.push(address);
      }
      const found = type.startsWith('text/html') ? addressesOf(text) : [];
      const location = answer.headers.get('location');
      const next = [...found, ...(location === null ? [] : [{ name: 'location', address: location }])];
      out.push(...next.filter((each) => !each.address.startsWith(`${PATH}/`)).map((each) => each.address));
      // Forms that change something have no page of their own.
      queue.push(...next.filter(({ name }) => !/action|post/.test(name)).map((each) => each.address));
    }

    expect(signedIn.headers.get('set-cookie')).toMatch(new RegExp(`^tocsin=.*; Path=${PATH}/;`));
    expect(out).toEqual([]);
    expect(broken).toEqual([]);
    expect([...seen].map((each) => each.slice(PATH.length))).toEqual(
      expect.arrayContaining([
        '/dashboard/incidents/1',
        '/dashboard/services/checkout',
        '/dashboard/settings/integrations',
        '/dashboard/static/page.js',
        '/dashboard/static/style.css',
      ]),
    );
  });

  it('takes forms, leads back to the page after sign-in, and signs out', async () => {
    const early = await call(`${PATH}/dashboard/settings/api-keys`);
    const signInPage = await (await call(early.headers.get('location') ?? '')).text();
    const returnTo = /name="return_to" value="([^"]*)"/.exec(signInPage)?.[1] ?? '';
    const key = { key: tocsin.readWriteKey, return_to: returnTo };
    const signedIn = await send(`${PATH}/dashboard/sign-in`, key);
    cookie = cookieOf(signedIn);
    const back = signedIn.headers.get('location') ?? '';
    const page = await (await call(back)).text();
    const lost = await call(`${PATH}/dashboard/incidents`, {
      headers: { cookie: '', 'hx-request': 'true', 'hx-current-url': `${origin}${back}` },
    });

    const made = await send(`${PATH}/dashboard/settings/api-keys`, {
      _csrf: csrfTokenIn(page),
      name: 'new',
      scope: 'read-only',
    });
    const signedOut = await send(`${PATH}/dashboard/sign-out`, { _csrf: csrfTokenIn(page) });

    expect(back).toBe(`${PATH}/dashboard/settings/api-keys`);
    expect(lost.headers.get('hx-redirect')).toBe(
      `${PATH}/dashboard/sign-in?return_to=${encodeURIComponent('/dashboard/settings/api-keys')}`,
    );
    expect(made.status).toBeLessThan(400);
    expect(signedOut.headers.get('location')).toBe(`${PATH}/dashboard/sign-in`);
    expect(signedOut.headers.get('set-cookie')).toMatch(new RegExp(`Max-Age=0; Path=${PATH}/`));
  });

  it('follows changes, and takes telemetry and calls of the API', async () => {
    await signIn();
    const list = await (await call(`${PATH}/dashboard/incidents`)).text();
    const live = addressesOf(list).find(({ name }) => name === 'hx-sse:connect')?.address ?? '';
    const stream = await call(live, { headers: { accept: 'text/event-stream', 'accept-encoding': 'identity' } });

    const authorization = `Bearer ${tocsin.readWriteKey}`;
    const declared = await call(`${PATH}/v1/incidents`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Checkout is down', service: 'checkout', severity: 'critical', user: 'ana' }),
    });
    let message = '';
    for await (const chunk of stream.body ?? []) {
      message += Buffer.from(chunk).toString();
      if (message.includes('href=')) {
        break;
      }
    }

    expect(declared.status).toBe(201);
    expect((await call(declared.headers.get('location') ?? '', { headers: { authorization } })).status).toBe(200);
    expect(addressesOf(message).map(({ address }) => address)).toContain(`${PATH}/dashboard/incidents/1`);
    expect(addressesOf(message).filter(({ address }) => !address.startsWith(PATH))).toEqual([]);
  });
});
