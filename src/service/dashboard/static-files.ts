import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Env, Hono } from 'hono';
import { paletteCss } from './palette.ts';
import { takesGzip } from './takes-gzip.ts';

const { resolve } = createRequire(import.meta.url);

/** Scripts and styles of the pages. They are served as they are: there is no build. */
const FILES = {
  'style.css': read(
    ['base', 'forms', 'lists', 'incident', 'charts', 'on-call', 'media'].map((name) => own(`${name}.css`)),
    'text/css',
    paletteCss(),
  ),
  'page.js': read([own('page.js'), own('push.js')], 'text/javascript'),
  'theme.js': read([own('theme.js')], 'text/javascript'),
  'push-worker.js': read([own('push-worker.js')], 'text/javascript'),
  'manifest.json': read([own('manifest.json')], 'application/manifest+json'),
  'icon.svg': read([own('icon.svg')], 'image/svg+xml'),
  // In one file: htmx starts in the next task, and must find its extension then.
  'htmx.js': read(
    ['htmx.org/dist/htmx.min.js', 'htmx.org/dist/ext/hx-sse.min.js'].map((path) => resolve(path)),
    'text/javascript',
  ),
} as const;

interface StaticFile {
  readonly body: Buffer<ArrayBuffer>;
  readonly type: string;
  readonly version: string;
}

/** The address of a file. It changes with the content, so browsers may keep the file forever. */
export function staticUrl(name: keyof typeof FILES): string {
  return `/dashboard/static/${name}?v=${FILES[name].version}`;
}

/** Serves the files to everybody: they hold no data. */
export function serveStaticFiles<E extends Env>(dashboard: Hono<E>): void {
  const byName = new Map<string, StaticFile>(Object.entries(FILES));
  dashboard.get('/static/:name', (c) => {
    const file = byName.get(c.req.param('name'));
    if (file === undefined) {
      return c.notFound();
    }
    const isCompressed = takesGzip(c);
    return c.body(isCompressed ? gzipped(file) : file.body, 200, {
      'content-type': file.type,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
    });
  });
}

/** A worker is registered by an address that never changes, so it is asked for again each time. */
export function servePushWorker<E extends Env>(dashboard: Hono<E>): void {
  const { body, type } = FILES['push-worker.js'];
  dashboard.get('/push-worker.js', (c) => c.body(body, 200, { 'content-type': type, 'cache-control': 'no-cache' }));
}

const compressed = new Map<StaticFile, Buffer<ArrayBuffer>>();

function gzipped(file: StaticFile): Buffer<ArrayBuffer> {
  const body = compressed.get(file) ?? gzipSync(file.body);
  compressed.set(file, body);
  return body;
}

function own(name: string): string {
  return join(import.meta.dirname, 'static', name);
}

/** @param start goes before the content of the files */
function read(paths: readonly string[], type: string, start = ''): StaticFile {
  const parts = [start, ...paths.map((path) => readFileSync(path, 'utf8'))].filter((part) => part !== '');
  const body = Buffer.from(parts.join(type === 'text/javascript' ? ';\n' : '\n'));
  const version = createHash('sha256').update(body).digest('hex').slice(0, 12);
  return { body, type: `${type}; charset=utf-8`, version };
}
