import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Logger } from 'pino';
import { ImpossibleActionError } from '../errors.ts';
import type { Manifest } from '../manifest.ts';
import type { Actor } from '../people/actor.ts';
import type { Person } from '../workspace/model.ts';
import type { AppChannel } from '../workspace/seed.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type ChangeKind, createChanges } from './changes.ts';
import { readPageState } from './page-state.ts';
import { createPersonRoutes } from './person-routes.ts';
import { createReadMarks } from './read-marks.ts';

export interface Page extends Disposable {
  fetch(request: Request): Response | Promise<Response>;
  /** Notifies all open pages. */
  announce(kind: ChangeKind): void;
}

export interface PageDeps {
  readonly workspace: Workspace;
  readonly manifest: Manifest;
  readonly appChannel: AppChannel;
  readonly actorOf: (person: Person) => Actor;
  readonly isAppConnected: () => boolean;
  readonly logger: Logger;
}

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'self'; img-src 'self' https: http://127.0.0.1:* http://localhost:*; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

export function createPage(deps: PageDeps): Page {
  const changes = createChanges();
  const marks = createReadMarks(deps.workspace);
  const app = new Hono();

  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) {
      context.res.headers.set(name, value);
    }
  });

  app.get('/', async (context) => context.html(await readFile(new URL('browser/index.html', import.meta.url), 'utf8')));

  app.get('/assets/:path{([a-z-]+/)?[a-z-]+\\.(css|js|svg)}', async (context) => {
    const path = context.req.param('path');
    const content = await readFile(new URL(`browser/${path}`, import.meta.url)).catch(() => null);
    if (content === null) {
      return context.notFound();
    }
    const type = CONTENT_TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    return context.body(content, 200, { 'content-type': type });
  });

  app.get('/page/changes', () => changes.open());

  app.get('/page/state', (context) => {
    const viewer = deps.workspace.findPerson(context.req.query('as') ?? 'ana');
    if (viewer === null || viewer.isBot) {
      throw new HTTPException(404, { message: 'that person does not exist' });
    }
    return context.json(readPageState({ ...deps, marks }, viewer, context.req.query('channel') ?? null));
  });

  app.route('/people', createPersonRoutes({ ...deps, marks }));

  app.onError((error, context) => {
    if (error instanceof HTTPException) {
      return context.json({ error: error.message }, error.status);
    }
    if (error instanceof ImpossibleActionError) {
      return context.json({ error: error.message }, 409);
    }
    deps.logger.error({ err: error }, 'the page failed');
    return context.json({ error: 'local Slack failed: see its log' }, 500);
  });

  return {
    fetch: (request) => app.fetch(request),
    announce: (kind) => changes.announce(kind),
    [Symbol.dispose]: () => changes[Symbol.dispose](),
  };
}
