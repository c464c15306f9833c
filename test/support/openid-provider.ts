import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

const CLIENT = { id: 'tocsin', secret: 'a-secret-that-only-tests-use' };

export interface OpenIdProviderProcess extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * Signs somebody in on the provider's own pages, like a browser.
   *
   * @param address to which Tocsin led
   * @returns the address of Tocsin to which the provider leads back
   */
  signIn(address: string, account: string): Promise<URL>;
}

/**
 * A real OpenID provider on loopback.
 *
 * @param people claims by account
 * @param redirectUri of Tocsin
 */
export async function startOpenIdProvider(
  people: Readonly<Record<string, object>>,
  redirectUri: string,
): Promise<OpenIdProviderProcess> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { profile: ['name', 'groups'], email: ['email', 'email_verified'] },
    cookies: { keys: ['a key for the cookies of a test'] },
    pkce: { required: () => true },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
  });
  const handle = provider.callback();
  server.on('request', (request, response) => void handle(request, response));

  return {
    issuer,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    signIn: (address, account) => visitPages(issuer, address, account),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Follows redirects, and sends the forms for the account and for consent. */
async function visitPages(issuer: string, address: string, account: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next = new URL(address);
  let form: URLSearchParams | null = null;
  for (let step = 0; step < 20; step += 1) {
    const answer: Response = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === null ? {} : { method: 'POST', body: form }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location !== null) {
      await answer.body?.cancel();
      [next, form] = [new URL(location, next), null];
      if (next.origin !== issuer) {
        return next;
      }
      continue;
    }
    const page = await answer.text();
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
    if (action === undefined) {
      throw new Error(`the provider answered ${answer.status}: ${page.slice(0, 500)}`);
    }
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? '';
    [next, form] = [new URL(action, next), new URLSearchParams({ prompt, login: account, password: 'any' })];
  }
  throw new Error('the provider led in a circle');
}
