import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import { SlackError } from '../errors.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Disturbances } from './fault-control.ts';
import { applyFault, FaultRequest } from './fault-request.ts';
import type { Inspector } from './inspector.ts';
import { Panel, type PanelBoard } from './panel.ts';

const Press = z.strictObject({ button: z.string() });
const Since = z.coerce.number().int().nonnegative().default(0);

/**
 * `/local/…`: what Slack does not have. Faults are set, the inspector is read and a program shows its panel here; by the
 * page, by a test in another process, or by hand. No other site's page gets in: its requests carry Sec-Fetch-Site, and
 * cannot be JSON unasked.
 */
export function createLocalRoutes(deps: {
  disturbances: Disturbances;
  inspector: Inspector;
  panels: PanelBoard;
  workspace: Workspace;
}): {
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
    applyFault(await readJson(context, FaultRequest), disturbances, deps.workspace);
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

  app.get('/panel', (context) => context.json({ panel: deps.panels.shown() }));

  app.put('/panel', async (context) => context.json({ pressed: deps.panels.show(await readJson(context, Panel)) }));

  app.delete('/panel', (context) => {
    deps.panels.takeAway();
    return context.json({ panel: null });
  });

  app.post('/panel/presses', async (context) => {
    if (!deps.panels.press((await readJson(context, Press)).button)) {
      throw new HTTPException(409, { message: 'that button is not there any more' });
    }
    return context.json({}, 202);
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

/** @throws HTTPException when it is not JSON, or not what the schema takes */
async function readJson<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  if (!/^application\/json\b/.test(context.req.header('content-type') ?? '')) {
    throw new HTTPException(415, { message: 'send it as application/json' });
  }
  const parsed = schema.safeParse(await context.req.json().catch(() => null));
  if (!parsed.success) {
    throw new HTTPException(400, { message: z.prettifyError(parsed.error) });
  }
  return parsed.data;
}
