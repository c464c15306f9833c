import type { BrowserContext } from 'playwright-core';
import type { Service } from '../../src/service/service.ts';
import { PUBLIC_URL } from './test-service.ts';

export interface VisitOptions {
  /** Absent: those of a form of the dashboard's own pages. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a POST, with the token of the session unless it has one. */
  readonly form?: Readonly<Record<string, string>>;
}

/** Somebody at the dashboard, called like over HTTP. */
export interface Visitor {
  /** `name=value`; empty when nobody is signed in. */
  readonly cookie: string;
  readonly csrfToken: string;
  visit(path: string, options?: VisitOptions): Promise<Response>;
}

interface Dashboard {
  readonly service: Pick<Service, 'fetch'>;
}

const OWN = { 'sec-fetch-site': 'same-origin', origin: PUBLIC_URL };

/** Somebody without a session. */
export function stranger(tocsin: Dashboard): Visitor {
  return visitorOf(tocsin, '', '');
}

/** @throws when the key is refused */
export async function signIn(tocsin: Dashboard, key: string, name = ''): Promise<Visitor> {
  const response = await stranger(tocsin).visit('/sign-in', { form: { key, name } });
  if (response.status !== 303) {
    throw new Error(`sign-in answered ${response.status}`);
  }
  return visitorWith(tocsin, cookieOf(response));
}

export async function visitorWith(tocsin: Dashboard, cookie: string): Promise<Visitor> {
  const page = await (await visitorOf(tocsin, cookie, '').visit('/incidents')).text();
  return visitorOf(tocsin, cookie, csrfTokenIn(page));
}

export function csrfTokenIn(page: string): string {
  return /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
}

/** The cookie that a response sets, as `name=value`. */
export function cookieOf(response: Response): string {
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** Gives a browser the session of a visitor. */
export async function lendSession(context: BrowserContext, url: string, { cookie }: Visitor): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url }]);
}

function visitorOf(tocsin: Dashboard, cookie: string, csrfToken: string): Visitor {
  return {
    cookie,
    csrfToken,
    async visit(path, { form, headers = form === undefined ? {} : OWN } = {}) {
      const request = new Request(`${PUBLIC_URL}/dashboard${path}`, {
        headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
        ...(form === undefined
          ? {}
          : { method: 'POST', body: new URLSearchParams({ ...(csrfToken && { _csrf: csrfToken }), ...form }) }),
      });
      return tocsin.service.fetch(request);
    },
  };
}
