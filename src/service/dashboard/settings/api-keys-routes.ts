import type { Context, Hono } from 'hono';
import type { Logger } from 'pino';
import { z } from 'zod';
import { SCOPES } from '../../../contract/routes.ts';
import { actorOf, hasRole } from '../../core/session.ts';
import { readPathParameter, StorableText } from '../../http/storable-text.ts';
import type { ApiKeyStore } from '../../store/api-key-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { demandRole } from '../session/guard.ts';
import { renderApiKeysPage, renderNewApiKeyPage } from './api-keys-page.tsx';

const KEY_EVENTS_SHOWN = 50;

const CreateKeyForm = z.object({
  name: StorableText.trim().min(1).max(200),
  scope: z.enum(SCOPES),
});

export interface ApiKeysDeps {
  readonly keys: ApiKeyStore;
  readonly logger: Logger;
  readonly now: () => Date;
}

export function bindApiKeys(dashboard: Hono<DashboardEnv>, { keys, logger, now }: ApiKeysDeps): void {
  const showKeys = async (c: Context<DashboardEnv>, fault: string | null) =>
    renderApiKeysPage({
      session: c.get('session'),
      keys: await keys.list(),
      history: await keys.history(KEY_EVENTS_SHOWN),
      mayManage: hasRole(c.get('session'), 'admin'),
      fault,
      now: now(),
    });

  dashboard.get('/settings/api-keys', async (c) => c.html(await showKeys(c, null)));

  dashboard.post('/settings/api-keys', async (c) => {
    demandRole(c, 'admin');
    const form = CreateKeyForm.safeParse(await c.req.parseBody());
    if (!form.success) {
      return c.html(await showKeys(c, 'A key needs a name of at most 200 characters and a scope.'), 422);
    }
    const session = c.get('session');
    const { key, rawKey } = await keys.create(form.data.name, form.data.scope, now(), actorOf(session));
    logger.info({ keyId: key.id, sessionId: session.id }, 'API key created');
    return c.html(renderNewApiKeyPage(session, key, rawKey));
  });

  dashboard.post('/settings/api-keys/:id/revoke', async (c) => {
    demandRole(c, 'admin');
    const keyId = readPathParameter(c.req.param('id'));
    const session = c.get('session');
    if (!(await keys.revoke(keyId, now(), actorOf(session)))) {
      throw new PageError(404, 'Key not found', 'It may have been deleted with its integration.');
    }
    logger.info({ keyId, sessionId: session.id }, 'API key revoked');
    return c.redirect('/dashboard/settings/api-keys', 303);
  });
}
