import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { alertNotification } from '../support/alert-notification.ts';
import { createTestDatabase } from '../support/database.ts';
import { silentLogger } from '../support/logger.ts';
import { startTestService } from '../support/test-service.ts';

const STATEMENT_MS = 500;

it.each(['api_keys', 'incidents', 'signals', 'telemetry_log', 'event_sequence'])(
  'answers 503 within its limits while somebody has locked the table %s, and serves on afterwards',
  async (table) => {
    await using real = await createTestDatabase();
    await using database = await openDatabase({
      url: real.url,
      dataDir: '',
      logger: silentLogger,
      statementMs: STATEMENT_MS,
    });
    await using tocsin = await startTestService({ database: { ...database, url: real.url } });
    await tocsin.failIn(['payments']);
    const { id } = await tocsin.openIncident();
    const requests = (): Promise<Response>[] => [
      tocsin.call('GET', '/incidents'),
      tocsin.call('GET', '/signals?q=a'),
      tocsin.call('POST', '/alertmanager', { body: alertNotification() }),
      tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ana' } }),
      tocsin.call('GET', '/events?last_event_id=0', { headers: { 'last-event-id': '0' } }),
    ];
    const other = await real.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);

    const answers = await other.transaction().execute(async (tx) => {
      await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(tx);
      return await Promise.all(requests()); // ends although the lock is held
    });
    const later = await Promise.all(requests());

    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const response of refused) {
      expect(response.status).toBe(503);
      expect(response.headers.has('retry-after')).toBe(true);
      expect(await response.json()).toMatchObject({ detail: expect.stringContaining('the database') });
    }
    expect(later.map(({ status }) => status)).toEqual(later.map(() => 200));
    const streams = [...answers, ...later].flatMap(({ body }) => (body === null || body.locked ? [] : [body]));
    await Promise.all(streams.map((body) => body.cancel()));
  },
);
