import type { Context, Hono } from 'hono';
import type { Logger } from 'pino';
import { z } from 'zod';
import { SCOPES } from '../../../contract/route.ts';
import { addDays, hoursToMilliseconds } from '../../../runtime/dates.ts';
import { isWorking } from '../../core/api-key.ts';
import { actorOf } from '../../core/session.ts';
import { readPathParameter, StorableText } from '../../http/storable-text.ts';
import type { ApiKeyStore, ListedKey } from '../../store/keys/api-key-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { demandRole } from '../session/guard.ts';
import { GRACES, renderNewApiKeyPage, renderRevokePage, renderRotatePage } from './api-key-pages.tsx';
import { LIFETIMES, renderApiKeysPage } from './api-keys-page.tsx';

const PATH = '/settings/api-keys';

const CreateKeyForm = z.object({
  name: StorableText.trim().min(1).max(200),
  scope: z.enum(SCOPES),
  days: z.enum(LIFETIMES).default(''),
});

const RotateForm = z.object({ grace: z.enum(GRACES.map(([hours]) => hours)) });

const NO_KEY = new PageError(
  404,
  'Key not found',
  'It may have been deleted with its integration, or does not work any more.',
);

export interface ApiKeysDeps {
  readonly keys: ApiKeyStore;
  readonly logger: Logger;
  readonly now: () => Date;
}

export function bindApiKeys(dashboard: Hono<DashboardEnv>, { keys, logger, now }: ApiKeysDeps): void {
  const showKeys = async (c: Context<DashboardEnv>, fault: string | null) =>
    renderApiKeysPage({ session: c.get('session'), keys: await keys.list(), fault, now: now() });

  /** @throws {PageError} unless the reader is an admin and the key works */
  const readKey = async (c: Context<DashboardEnv>, id: string): Promise<ListedKey> => {
    demandRole(c, 'admin');
    const key = (await keys.list()).find((each) => each.id === id);
    if (key === undefined || !isWorking(key, now())) {
      throw NO_KEY;
    }
    return key;
  };

  dashboard.get('/settings', (c) => c.redirect('/dashboard/settings/api-keys'));

  dashboard.get(PATH, async (c) => c.html(await showKeys(c, null)));

  dashboard.post(PATH, async (c) => {
    demandRole(c, 'admin');
    const form = CreateKeyForm.safeParse(await c.req.parseBody());
    if (!form.success) {
      return c.html(await showKeys(c, 'A key needs a name of at most 200 characters and a scope.'), 422);
    }
    const { name, scope, days } = form.data;
    const session = c.get('session');
    const expiresAt = days === '' ? null : addDays(now(), Number(days));
    const { key, rawKey } = await keys.create(name, scope, now(), actorOf(session), expiresAt);
    logger.info({ keyId: key.id, sessionId: session.id }, 'API key created');
    return c.html(renderNewApiKeyPage({ session, key, rawKey, oldWorksUntil: null, now: now() }));
  });

  dashboard.get(`${PATH}/:id/rotate`, async (c) =>
    c.html(renderRotatePage({ session: c.get('session'), key: await readKey(c, c.req.param('id')) })),
  );

  dashboard.post(`${PATH}/:id/rotate`, async (c) => {
    const session = c.get('session');
    const before = await readKey(c, c.req.param('id'));
    const form = RotateForm.safeParse(await c.req.parseBody());
    if (!form.success) {
      return c.html(renderRotatePage({ session, key: before }), 422);
    }
    const graceMs = hoursToMilliseconds(Number(form.data.grace));
    const rotation = await keys.rotate(before.id, graceMs, now(), actorOf(session));
    if (rotation === null) {
      throw NO_KEY;
    }
    logger.info({ keyId: before.id, successorId: rotation.key.id, sessionId: session.id }, 'API key rotated');
    return c.html(renderNewApiKeyPage({ session, ...rotation, now: now() }));
  });

  dashboard.get(`${PATH}/:id/revoke`, async (c) =>
    c.html(renderRevokePage({ session: c.get('session'), key: await readKey(c, c.req.param('id')), now: now() })),
  );

  dashboard.post(`${PATH}/:id/revoke`, async (c) => {
    demandRole(c, 'admin');
    const keyId = readPathParameter(c.req.param('id'));
    const session = c.get('session');
    if (!(await keys.revoke(keyId, now(), actorOf(session)))) {
      throw NO_KEY;
    }
    logger.info({ keyId, sessionId: session.id }, 'API key revoked');
    return c.redirect('/dashboard/settings/api-keys', 303);
  });
}
