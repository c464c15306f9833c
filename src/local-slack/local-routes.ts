import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import type { Disturbances } from './disturbances.ts';
import { SlackError } from './errors.ts';
import { applyFault, FaultRequest } from './fault-request.ts';
import type { Inspector } from './inspector.ts';
import type { Workspace } from './workspace.ts';

const Since = z.coerce.number().int().nonnegative().default(0);

/**
 * `/local/…`: what Slack does not have. Faults are set and the inspector is read here, by the page, by a test in another
 * process, or by hand. No other site's page gets in: its requests carry Sec-Fetch-Site, and cannot be JSON unasked.
 */
export function createLocalRoutes(deps: { disturbances: Disturbances; inspector: Inspector; workspace: Workspace }): {
  fetch(request: Request): Response | Promise<Response>;
} {
  const { disturbances } = deps;
  const app = new Hono().basePath('/local');

  app.use(async (context, next) => {
    const site = context.req.header('sec-fetch-site') ?? 'none';
    if (site !== 'same-origin' && site !== 'none') {
      throw new HTTPException(403, { message: 'this is not the way in' });
    }
    context.header('cache-control', 'no-store');
    await next();
  });

  app.get('/faults', (context) => context.json(disturbances.trouble()));

  app.post('/faults', async (context) => {
    if (!/^application\/json\b/.test(context.req.header('content-type') ?? '')) {
      throw new HTTPException(415, { message: 'send the fault as application/json' });
    }
    const parsed = FaultRequest.safeParse(await context.req.json().catch(() => null));
    if (!parsed.success) {
      throw new HTTPException(400, { message: z.prettifyError(parsed.error) });
    }
    applyFault(parsed.data, disturbances, deps.workspace);
    return context.json(disturbances.trouble(), 201);
  });

  app.delete('/faults', (context) => {
    disturbances.recover();
    return context.json(disturbances.trouble());
  });

  app.get('/inspector', (context) => {
    const since = Since.safeParse(context.req.query('since'));
    if (!since.success) {
      throw new HTTPException(400, { message: 'since must be the id of an entry' });
    }
    return context.json(deps.inspector.since(since.data));
  });

  app.onError((error, context) => {
    if (error instanceof HTTPException) {
      return context.json({ error: error.message }, error.status);
    }
    if (error instanceof SlackError) {
      return context.json({ error: error.code }, 409);
    }
    throw error;
  });

  return { fetch: (request) => app.fetch(request) };
}
