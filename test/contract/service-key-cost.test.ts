import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { KyselyPlugin } from 'kysely';
import { afterEach, expect, it, vi } from 'vitest';
import { KEY_ACTORS } from '../../src/service/core/key-event.ts';
import { createApiKeyStore } from '../../src/service/store/keys/api-key-store.ts';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { startTestService } from '../support/test-service.ts';

const by = KEY_ACTORS.commandLine;

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

it('answers unknown, wrong, expired and revoked keys alike, with the same work', async () => {
  await using tocsin = await startTestService();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  let statements = 0;
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const keys = createApiKeyStore(db.withPlugin(counting));
  const now = new Date();
  const expired = await keys.create('expired', 'read-write', now, by);
  await keys.rotate(expired.key.id, 0, now, by);
  const revoked = await keys.create('revoked', 'read-write', now, by);
  await keys.revoke(revoked.key.id, now, by);
  const standing = await keys.create('standing', 'read-write', now, by);
  await db
    .updateTable('api_keys')
    .set({ hash: Buffer.alloc(32, 1) })
    .where('id', '=', standing.key.id)
    .execute();
  const badKeys = {
    unknown: createRawKey('read-write').rawKey,
    wrong: standing.rawKey,
    expired: expired.rawKey,
    revoked: revoked.rawKey,
  };
  const hmac = vi.spyOn(crypto, 'createHmac');
  const compare = vi.spyOn(crypto, 'timingSafeEqual');
  syncBuiltinESMExports();

  const answers = [];
  const work = [];
  for (const key of Object.values(badKeys)) {
    const response = await tocsin.call('GET', '/incidents', { key, headers: { 'x-request-id': 'same' } });
    answers.push({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    });
    hmac.mockClear();
    compare.mockClear();
    statements = 0;
    expect(await keys.authenticate(key, now)).toBeNull();
    work.push({ hmacs: hmac.mock.calls.length, comparisons: compare.mock.calls.length, statements });
  }

  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]?.status).toBe(401);
  expect(work).toEqual(Array.from({ length: 4 }, () => ({ hmacs: 1, comparisons: 1, statements: 1 })));
});
