import { addHours } from 'date-fns/addHours';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { Integration } from '../../src/contract/integrations.ts';
import { SignalList } from '../../src/contract/lists.ts';
import { createId } from '../../src/service/core/ids.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { endSignals } from '../../src/service/store/signals/write-signals.ts';
import { createTestDatabase } from '../support/database.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService } from '../support/test-service.ts';

it('ends an alert whose incident opens at that moment', async () => {
  await using tocsin = await startTestService();
  const event = { service: 'payments', summary: 'down', severity: 'warning' };
  expect((await tocsin.call('POST', '/generic', { body: event })).status).toBe(200);
  await tocsin.openIncident();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const now = tocsin.now();
  const { rows } = await sql<{ fingerprint: string }>`
    update signals set incident_id = null, received_at = ${now} returning fingerprint`.execute(db);
  const ends = rows.map(({ fingerprint }) => ({ fingerprint, endedAt: now }));
  const id = createId('inc', now);

  let ending: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (opening) => {
    // As correlation does: the incident and the signal that joins it, not yet committed.
    await sql`
      insert into incidents (id, number, title, severity, root_service, services, signal_counts, correlation, opened_at,
        last_signal_at, updated_at)
      select ${id}, 1000, title, severity, root_service, services, signal_counts, correlation, opened_at, ${now}, ${now}
      from incidents limit 1`.execute(opening);
    await sql`update signals set incident_id = ${id}`.execute(opening);
    ending = db.transaction().execute((tx) => endSignals(tx, ends, now));
    await vi.waitUntil(
      async () => {
        const waiting = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
        return waiting.rows.length > 0;
      },
      { timeout: HANG_MS },
    );
  });
  await ending;

  const ended = await sql<{ at: Date | null }>`select ended_at as at from signals`.execute(db);
  expect(ended.rows).toEqual([{ at: now }]);
});

/** A row that moves to another page gets an entry in each index of signals, of which that for texts costs most. */
it('ends signals in their own pages while these have room', async () => {
  await using database = await createTestDatabase(); // whose pages have no rows of other tests
  await using tocsin = await startTestService({ database });
  const events = Array.from({ length: 100 }, (_, index) => ({
    service: `service-${index}`,
    summary: `the cache of service ${index} is cold`,
    severity: 'info',
    type: 'log',
  }));
  expect((await tocsin.call('POST', '/generic', { body: events })).status).toBe(200);
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const readPages = async () => {
    const { rows } = await sql<{ fingerprint: string; page: number }>`
      select fingerprint, (ctid::text::point)[0] as page from signals`.execute(db);
    return new Map(rows.map(({ fingerprint, page }) => [fingerprint, page]));
  };

  const before = await readPages();
  const ends = [...before.keys()].map((fingerprint) => ({ fingerprint, endedAt: tocsin.now() }));
  await db.transaction().execute((tx) => endSignals(tx, ends, tocsin.now()));
  const after = await readPages();

  const ofFirstPage = [...before].filter(([, page]) => page === 0);
  const staying = ofFirstPage.filter(([fingerprint]) => after.get(fingerprint) === 0);
  expect(Math.max(...before.values())).toBeGreaterThan(0);
  expect(staying.length).toBeGreaterThan(0);
});

it('does not end what was seen again after the end, as an end that arrives late', async () => {
  await using tocsin = await startTestService();
  const event = { service: 'payments', summary: 'the cache is cold', severity: 'warning', type: 'log' };
  expect((await tocsin.call('POST', '/generic', { body: [event] })).status).toBe(200);
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const signal = () =>
    db.selectFrom('signals').select(['fingerprint', 'last_seen_at', 'ended_at']).executeTakeFirstOrThrow();
  const { fingerprint, last_seen_at: seenAt } = await signal();
  const end = (ms: number) =>
    db.transaction().execute((tx) => {
      const endedAt = new Date(seenAt.getTime() + ms);
      return endSignals(tx, [{ fingerprint, endedAt }], tocsin.now());
    });

  await end(-1);
  const afterLateEnd = await signal();
  await end(0);

  expect(afterLateEnd.ended_at).toBeNull();
  expect((await signal()).ended_at).toEqual(seenAt);
});

/** As collectd posts: no end, and a severity of its own that says that all is well. */
it('ends what was posted with another severity once one says that all is well, and nothing else', async () => {
  await using tocsin = await startTestService();
  const created = await tocsin.call('POST', '/integrations', { body: { type: 'prometheus', name: 'collectd' } });
  const { ingest_key: key = '' } = Integration.parse(await created.json());
  const post = (instance: string, severity: string, end: object = {}) =>
    tocsin.call('POST', '/prometheus/api/v1/alerts', {
      key,
      body: [{ labels: { alertname: 'collectd_df', service: 'collectd', instance, severity }, ...end }],
      headers: { 'content-type': 'text/plain' },
    });
  const signals = async () => {
    const listed = SignalList.parse(await (await tocsin.call('GET', '/signals')).json()).signals;
    return listed.map((each) =>
      [each.service, each.attributes?.severity, each.ended_at === null ? 'fires' : 'ended'].join(' '),
    );
  };

  await post('web-1', 'WARNING');
  await post('web-1', 'FAILURE');
  await post('db-1', 'FAILURE');
  const answer = await post('web-1', 'OKAY');
  await post('mail-1', 'normal', { endsAt: addHours(tocsin.now(), 1).toISOString() });

  expect(answer.status).toBe(200);
  expect(new Set(await signals())).toEqual(
    new Set(['db-1 FAILURE fires', 'mail-1 normal fires', 'web-1 FAILURE ended', 'web-1 WARNING ended']),
  );
});
