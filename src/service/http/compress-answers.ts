import type { MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';

/**
 * Compresses what is long and not a stream. A strong entity tag stays one, so that `If-Match` takes it, and names the
 * encoding, because two representations may not share a strong tag (RFC 9110, 8.8.3.3).
 */
export function compressAnswers(): MiddlewareHandler {
  const compressBody = compress();
  return async (c, next) => {
    await compressBody(c, next);
    const encoding = c.res.headers.get('content-encoding');
    const etag = c.res.headers.get('etag');
    if (encoding !== null && etag !== null) {
      c.res.headers.set('etag', etag.replace(/^W\/"(.*)"$/, `"$1-${encoding}"`));
    }
  };
}

/** The tag without what `compressAnswers` and proxies make of it. */
export function plainTag(etag: string): string {
  return etag.replace(/^W\//, '').replace(/-(?:gzip|deflate)"$/, '"');
}
