import type { ClientBase } from 'pg';

/**
 * Creates millions of rows in the service's tables inside PostgreSQL. The connection's search path must be the service's
 * schema. The rows depend only on the arguments.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Number of services, `service-0` and so on. Each incident has a root and up to three others. */
export const SERVICES = 60;

/** Only the newest incidents are open. Two thirds were acknowledged. One was opened per minute. */
export const OPEN_INCIDENTS = 200;

/** The table must be empty. Its indexes and counts are created afterwards, which is much faster. */
export async function insertIncidents(client: ClientBase, count: number, now: Date): Promise<void> {
  const newestAt = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS);
  const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes
    where schemaname = current_schema() and tablename = 'incidents'
      and indexname not in (select conname from pg_constraint where conrelid = 'incidents'::regclass)`,
  );
  await client.query(indexes.map(({ indexname }) => `drop index ${indexname};`).join(' '));
  await client.query('alter table incidents disable trigger incidents_counted');
  await client.query(
    `insert into incidents (id, title, severity, root_service, services, signal_counts, correlation,
       opened_at, last_signal_at, updated_at, acknowledged_at, acknowledged_by, closed_at, resolution_note, labels, activity)
    select 'inc_' || lpad(to_hex(n), 26, '0'),
      'POST /orders/' || n % 5000 || ' fails (HTTP 500) in service-' || n % ${SERVICES},
      (array['critical', 'error', 'error', 'error', 'warning'])[1 + n % 5],
      'service-' || n % ${SERVICES},
      (select array_agg('service-' || (n + 7 * k) % ${SERVICES}) from generate_series(0, n % 4) as k),
      jsonb_build_object('trace', 3 + n % 20, 'metric', n % 3, 'log', n % 7),
      jsonb_build_object('method', 'graph', 'confidence', 0.8, 'window', jsonb_build_object('from', at, 'to', at),
        'services', jsonb_build_array(jsonb_build_object('name', 'service-' || n % ${SERVICES}, 'signals', 3, 'is_root', true,
          'score', 0.9)), 'edges', '[]'::jsonb, 'evidence', jsonb_build_array(repeat('what speaks for it ', 10))),
      at, at, at + interval '5 minutes',
      case when n % 3 > 0 then at + interval '2 minutes' end, case when n % 3 > 0 then 'ana' end,
      case when n <= $1 - ${OPEN_INCIDENTS} then at + interval '5 minutes' end,
      case when n <= $1 - ${OPEN_INCIDENTS} then 'restarted' end,
      array['env:' || (array['prod', 'staging'])[1 + n % 2], 'team:team-' || n % 20],
      'quiet'
    from (
      select n, $2::timestamptz - ($1 - n) * interval '1 minute' as at from generate_series(1::bigint, $1) as n
    ) as moments`,
    [count, newestAt],
  );
  await client.query(
    `insert into incident_counts
    select service, closed_at is not null, severity, acknowledged_at is not null, count(*)
    from incidents cross join unnest(services || ''::text) as service
    group by 1, 2, 3, 4`,
  );
  await client.query('alter table incidents enable trigger incidents_counted');
  await client.query(indexes.map(({ indexdef }) => `${indexdef};`).join(' '));
}

/**
 * Signals of the last `days` whole days, evenly spread over time, services and types. One in ten has no incident. There
 * must be no signals of those days.
 *
 * @returns the start of the first day
 */
export async function insertSignals(client: ClientBase, count: number, days: number, now: Date): Promise<Date> {
  const firstDay = Math.floor(now.getTime() / DAY_MS) * DAY_MS - days * DAY_MS;
  for (let day = 0; day < days; day += 1) {
    await insertSignalsOfDay(client, Math.round(count / days), new Date(firstDay + day * DAY_MS));
  }
  return new Date(firstDay);
}

async function insertSignalsOfDay(client: ClientBase, count: number, day: Date): Promise<void> {
  const next = new Date(day.getTime() + DAY_MS);
  const name = `signals_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;
  await client.query(`create table ${name} (like signals including defaults including generated)`);
  await client.query(
    `insert into ${name} (id, observed_at, received_at, last_seen_at, type, service, summary, severity, fingerprint,
      occurrences, incident_id, trace_id, span_id, attributes, source, detail)
    select 'sig_' || lpad(to_hex(extract(epoch from $2::timestamptz)::bigint * 65536 + n), 26, '0'), at, at, at,
      (array['trace', 'metric', 'log'])[1 + n % 3],
      'service-' || hash % ${SERVICES},
      'POST /orders/' || hash % 5000 || ' fails (HTTP 500)', 'error',
      'trace|service-' || hash % ${SERVICES} || '|POST /orders/' || hash % 5000, 1 + n % 9,
      case when n % 10 > 0 then 'inc_' || lpad(to_hex(hash % ($1 / 10 + 1)), 26, '0') end,
      md5(n::text), left(md5(n::text), 16),
      jsonb_build_object('http.request.method', 'POST', 'http.route', '/orders/{id}', 'http.response.status_code', 500,
        'server.address', 'service-' || hash % ${SERVICES}, 'error.type', 'ConnectError'),
      '{"format": "otlp", "service.version": "1.2.3"}', '{"type": "log", "body": "connection refused"}'
    from (
      select n, $2::timestamptz + (n - 1) * interval '1 day' / $1 as at, abs(hashint8(n))::bigint as hash
      from generate_series(1::bigint, $1) as n
    ) as moments`,
    [count, day],
  );
  await client.query(
    `alter table signals attach partition ${name} for values from ('${day.toISOString()}') to ('${next.toISOString()}')`,
  );
}
