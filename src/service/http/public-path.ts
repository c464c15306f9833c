import type { MiddlewareHandler } from 'hono';

const HEADERS = ['location', 'hx-redirect'] as const;

/**
 * Attributes that hold addresses, where they hold one of ours. Text and values that people typed contain no such
 * attribute: their quotes are escaped.
 */
const ADDRESSES = /(?<=\s(?:href|src|action|formaction|data-copy|hx-[\w:-]+)=")(?=\/dashboard\b)/g;

/**
 * The path at which people and senders reach Tocsin: that of `PUBLIC_URL`, without a slash at the end, so mostly empty.
 * Inside, every address begins at the root; the front door takes the path off, and the functions below put it on.
 */
export function publicPathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '');
}

/** @param url the target of a request, from a proxy that keeps the public path or strips it */
export function withoutPublicPath(url: string, path: string): string {
  const rest = url.startsWith(path) ? url.slice(path.length) : url;
  return rest.startsWith('/') ? rest : /^(?:\?|$)/.test(rest) ? `/${rest}` : url;
}

/** Puts the public path before the addresses in HTML. */
export function addPublicPath(html: string, path: string): string {
  return path === '' ? html : html.replaceAll(ADDRESSES, path.replaceAll('$', '$$$$'));
}

/** Puts the public path before the addresses in pages and headers. */
export function answerAt(path: string): MiddlewareHandler {
  return async (c, next) => {
    await next();
    if (path === '') {
      return;
    }
    for (const name of HEADERS) {
      const address = c.res.headers.get(name);
      if (address?.startsWith('/')) {
        c.res.headers.set(name, path + address);
      }
    }
    if (c.res.headers.get('content-type')?.startsWith('text/html')) {
      c.res = new Response(addPublicPath(await c.res.text(), path), c.res);
    }
  };
}
