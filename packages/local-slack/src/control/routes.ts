import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import { SlackError } from '../errors.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { FaultControl } from './fault-control.ts';
import { applyFault, FaultRequest } from './fault-request.ts';
import type { Inspector } from './inspector.ts';
import { Panel, type PanelBoard } from './panel.ts';

const Press = z.strictObject({ button: z.string() });
const Since = z.coerce.number().int().nonnegative().default(0);

/**
 * `/local/…`: routes that Slack does not have, for the page, for tests in another process and for curl. They set
 * faults, read the inspector and show a panel. Pages of other sites have no access: browsers mark their requests by
 * `Sec-Fetch-Site` and do not send JSON across sites without asking.
 */
export function createLocalRoutes(deps: {
  control: FaultControl;
  inspector: Inspector;
  panels: PanelBoard;
  workspace: Workspace;
}): {
  fetch(request: Request): Response | Promise<Response>;
} {
  const { control } = deps;
  const app = new Hono().basePath('/local');

  app.use(async (context, next) => {
    const site = context.req.header('sec-fetch-site') ?? 'none';
    if (site !== 'same-origin' && site !== 'none') {
      throw new HTTPException(403, { message: 'forbidden: request from another site' });
    }
    context.header('cache-control', 'no-store');
    await next();
  });

  app.get('/faults', (context) => context.json(control.faultStatus()));

  app.post('/faults', async (context) => {
    applyFault(await readJson(context, FaultRequest), control, deps.workspace);
    return context.json(control.faultStatus(), 201);
  });

  app.delete('/faults', (context) => {
    control.recover();
    return context.json(control.faultStatus());
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
    deps.panels.remove();
    return context.json({ panel: null });
  });

  app.post('/panel/presses', async (context) => {
    if (!deps.panels.press((await readJson(context, Press)).button)) {
      throw new HTTPException(409, { message: 'that button no longer exists' });
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

/** @throws HTTPException when the body is not JSON or does not match the schema */
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
