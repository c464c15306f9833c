import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createId } from '../../src/service/core/ids.ts';
import { createOpenApi } from '../../src/service/http/openapi.ts';
import { createApiKeyStore } from '../../src/service/store/keys/api-key-store.ts';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createAnswerCheck } from '../support/fuzz/answers.ts';
import { fuzzRun } from '../support/fuzz/fuzz-run.ts';
import { listOperations, parseDescription } from '../support/fuzz/operations.ts';
import { type FuzzRequest, type KeyKind, ROUTING_KEY, requestsTo } from '../support/fuzz/requests.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

const description = parseDescription(createOpenApi(PUBLIC_URL));
const operations = listOperations(description);
const check = createAnswerCheck(description);

const Id = z.object({ id: z.string() });

let tocsin: TestService;
let keys: Readonly<Record<Exclude<KeyKind, 'none'>, string>>;
const ids: string[] = [];

beforeAll(async () => {
  tocsin = await startTestService();
  await tocsin.failIn(['payments', 'stock']);
  const incident = await tocsin.openIncident();
  ids.push(incident.id, String(incident.number), incident.signals?.[0]?.id ?? '', createId('inc', tocsin.now()));
  const integration = await tocsin.call('POST', '/integrations', { body: { type: 'otlp', name: 'fuzz' } });
  ids.push(Id.parse(await integration.json()).id);
  const store = createApiKeyStore(await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations));
  const revoked = await store.create('revoked', 'read-write', tocsin.now(), 'test');
  await store.revoke(revoked.key.id, tocsin.now(), 'test');
  keys = {
    wrong: createRawKey('read-write').rawKey,
    malformed: 'tcn_rw_short',
    revoked: revoked.rawKey,
    ingest: await tocsin.service.createKey('sender', 'ingest'),
    'read-only': tocsin.readOnlyKey,
    'read-write': tocsin.readWriteKey,
  };
});
afterAll(() => tocsin[Symbol.asyncDispose]());

function toRequest({ method, target, key, headers, body }: FuzzRequest): Request {
  const rawKey = key === 'none' ? '' : keys[key];
  return new Request(`${PUBLIC_URL}${target}`, {
    method,
    headers: { ...(rawKey === '' ? {} : { authorization: `Bearer ${rawKey}` }), ...headers },
    ...(body === null
      ? {}
      : { body: typeof body === 'string' ? body.replace(ROUTING_KEY, rawKey) : new Uint8Array(body) }),
  });
}

it.each(operations)('$id answers anything as documented, never with an error of its own', async (operation) => {
  const property = fc.asyncProperty(requestsTo(operation, description, ids), async (request) => {
    const faults = await check(request, await tocsin.service.fetch(toRequest(request)));

    expect(faults).toEqual([]);
  });

  await fc.assert(property, fuzzRun(60));
});
