import type { Context } from 'hono';
import { accepts } from 'hono/accepts';

/** Whether the reader takes a response that is compressed by gzip. */
export function takesGzip(c: Context): boolean {
  return accepts(c, { header: 'Accept-Encoding', supports: ['gzip'], default: 'identity' }) === 'gzip';
}
