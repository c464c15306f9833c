import { Client } from 'pg';

/** Moves the clock of leases and retry times ahead: `clock_now()` of one schema in a throw-away database. */
export async function advanceDatabaseClock(database: { readonly url: string }, schema: string, ms: number) {
  const client = new Client({ connectionString: database.url, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    await client.query('begin');
    await client.query("select pg_advisory_xact_lock(hashtext('clock_now'))"); // serializes concurrent calls
    const { rows } = await client.query<{ ahead: number }>(
      'select extract(epoch from clock_now() - statement_timestamp())::float8 * 1000 as ahead',
    );
    const aheadMs = (rows[0]?.ahead ?? 0) + ms;
    await client.query(
      `create or replace function clock_now() returns timestamptz language sql stable
        as 'select statement_timestamp() + interval ''${aheadMs} milliseconds'''`,
    );
    await client.query('commit');
  } finally {
    await client.end();
  }
}

/** Lets `clock_now()` of one schema stand still at a time. */
export async function stopDatabaseClock(database: { readonly url: string }, schema: string, at: Date) {
  const client = new Client({ connectionString: database.url, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    await client.query(
      `create or replace function clock_now() returns timestamptz language sql stable
        as 'select timestamptz ''${at.toISOString()}'''`,
    );
  } finally {
    await client.end();
  }
}
