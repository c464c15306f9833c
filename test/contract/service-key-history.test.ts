import { hoursToMilliseconds } from 'date-fns/hoursToMilliseconds';
import { expect, it } from 'vitest';
import { KEY_ACTORS } from '../../src/service/core/key-event.ts';
import { openApiKeyStore } from '../../src/service/store/keys/api-key-store.ts';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { signIn } from '../support/dashboard.ts';
import { createTestDatabase } from '../support/database.ts';
import { startTestService } from '../support/test-service.ts';

const now = new Date();

it('keeps a history of keys: what changed, when, and by whom', async () => {
  await using database = await createTestDatabase();
  const keys = await openApiKeyStore(database);

  const { key: admin } = await keys.create('admin', 'read-write', now, KEY_ACTORS.commandLine);
  const { key: old } = await keys.create('collector', 'read-only', now, admin.id);
  const rotation = await keys.rotate(old.id, hoursToMilliseconds(1), now, KEY_ACTORS.commandLine);
  await keys.revoke(old.id, now, admin.id);
  await keys.revoke(old.id, now, admin.id);
  await keys.revoke('key_nobody', now, admin.id);

  const successorId = rotation?.key.id;
  expect(await keys.history(10)).toEqual([
    { at: now, type: 'revoked', keyId: old.id, keyName: 'collector', by: 'admin', successorId: null },
    { at: now, type: 'rotated', keyId: old.id, keyName: 'collector', by: 'the command line', successorId },
    { at: now, type: 'created', keyId: successorId, keyName: 'collector', by: 'the command line', successorId: null },
    { at: now, type: 'created', keyId: old.id, keyName: 'collector', by: 'admin', successorId: null },
    { at: now, type: 'created', keyId: admin.id, keyName: 'admin', by: 'the command line', successorId: null },
  ]);
  expect(await keys.history(1)).toHaveLength(1);
});

it("shows the history in the dashboard, with the signed-in key's name and no raw key", async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);

  const form = { name: '<b>new</b>', scope: 'read-only' };
  const made = await (await admin.visit('/settings/api-keys', { form })).text();
  const page = await (await admin.visit('/settings/audit')).text();

  const history = page.slice(page.indexOf('<h2>API keys'));
  const [rawKey = 'none'] = /tcn_ro_\w{60}/.exec(made) ?? [];
  expect(history).toMatch(
    /&lt;b&gt;new&lt;\/b&gt;<\/bdi> <span class="quiet">\(key_\w+\)<\/span><\/td><td[^>]*>created<\/td><td[^>]*><bdi>test<\/bdi><\/td>/,
  );
  expect(history).toContain('<bdi>the start of the service</bdi></td>');
  expect(page).not.toContain(rawKey.slice(-49, -6));
});

it('creates the first key once, however many processes start', async () => {
  await using database = await createTestDatabase();
  const keys = await openApiKeyStore(database);

  const made = await Promise.all([1, 2, 3].map(() => keys.createFirst(null, now)));
  const first = made.find((one) => one !== null);

  expect(made.filter((one) => one !== null)).toHaveLength(1);
  expect(await keys.authenticate(first?.rawKey ?? '', now)).toMatchObject({ scope: 'read-write' });
  expect(await keys.createFirst(createRawKey('read-write').rawKey, now)).toBeNull();
  expect(await keys.list()).toHaveLength(1);
});

it('uses a given key as the first one', async () => {
  await using database = await createTestDatabase();
  const keys = await openApiKeyStore(database);
  const { rawKey } = createRawKey('read-write');

  await keys.createFirst(rawKey, now);

  expect(await keys.authenticate(rawKey, now)).toMatchObject({ name: 'bootstrap', scope: 'read-write' });
  expect(await keys.history(10)).toMatchObject([{ type: 'bootstrapped', by: 'the start of the service' }]);
});
