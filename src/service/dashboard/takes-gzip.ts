import type { Context } from 'hono';

/** Whether the reader takes a response that is compressed by gzip. */
export function takesGzip(c: Context): boolean {
  return /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
}
