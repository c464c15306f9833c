import type { Client } from 'pg';
import type { Database } from '../../src/database/database.ts';

type Connecting = Pick<Database, 'connect'>;

/** Moves the clock of leases and retry times ahead: `clock_now()` of one schema in a throw-away database. */
export async function advanceDatabaseClock(database: Connecting, schema: string, ms: number) {
  await onOneConnection(database, async (client) => {
    await client.query(takeOver(schema));
    await client.query(
      `update tocsin_test.clock set ahead = ahead + $2::float8 * interval '1 millisecond' where schema = $1`,
      [schema, ms],
    );
  });
}

/** Lets `clock_now()` of one schema stand still at a time. */
export async function stopDatabaseClock(database: Connecting, schema: string, at: Date) {
  await onOneConnection(database, (client) => client.query(stoppedClock(schema, at)));
}

/** The statements that do that. */
export function stoppedClock(schema: string, at: Date): string {
  return `${takeOver(schema)};
    update tocsin_test.clock set stopped = '${at.toISOString()}' where schema = '${schema}'`;
}

/** Replaces the function once. Each replacement would cost all connections their plans. */
function takeOver(schema: string): string {
  return `do $do$ begin
      if (select prosrc like '%tocsin_test%' from pg_proc where oid = '${schema}.clock_now'::regproc) then
        return;
      end if;
      perform pg_advisory_xact_lock(hashtext('clock_now')); -- two may begin at once
      create schema if not exists tocsin_test;
      create table if not exists tocsin_test.clock
        (schema text primary key, ahead interval not null default '0', stopped timestamptz);
      insert into tocsin_test.clock values ('${schema}') on conflict do nothing;
      create or replace function ${schema}.clock_now() returns timestamptz language sql stable as
        $$ select coalesce(stopped, statement_timestamp() + ahead) from tocsin_test.clock where schema = '${schema}' $$;
    end $do$`;
}

async function onOneConnection(database: Connecting, use: (client: Client) => Promise<unknown>): Promise<void> {
  const client = await database.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}
