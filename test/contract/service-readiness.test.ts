import { secondsToMilliseconds } from 'date-fns/secondsToMilliseconds';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createLosableDatabase } from '../support/losable-database.ts';
import { startTestService } from '../support/test-service.ts';

it('reports an unreachable database', async () => {
  await using database = await createLosableDatabase();
  await using tocsin = await startTestService({ database });
  const before = await tocsin.service.readiness();

  database.lose();
  tocsin.advance(secondsToMilliseconds(2));

  expect(before).toEqual([
    { name: 'database', ready: true },
    { name: 'schema', ready: true },
  ]);
  expect(await tocsin.service.readiness()).toEqual([
    { name: 'database', ready: false, detail: expect.stringMatching(/^PostgreSQL .* cannot be reached: /) },
  ]);
});

it('reports missing migrations', async () => {
  await using tocsin = await startTestService();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await sql`delete from kysely_migration where name = '0001-initial'`.execute(db);

  expect(await tocsin.service.readiness()).toEqual([
    { name: 'database', ready: true },
    { name: 'schema', ready: false, detail: expect.stringMatching(/^the tables lack 0001-initial: restart/) },
  ]);
});
