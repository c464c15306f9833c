import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { silentLogger } from '../../test/support/logger.ts';
import { openDatabase } from './database.ts';
import { joinEmbeddedPostgres } from './embedded-postgres.ts';

interface Tables {
  note: { text: string };
}

const NOTES = {
  '0001-notes': { up: (db: Kysely<unknown>) => db.schema.createTable('note').addColumn('text', 'text').execute() },
};

/** A server, and streaming replicas that began as copies of its folder; `other` is there if it is asked for. */
async function startServers(stack: AsyncDisposableStack, hasOther = false) {
  const folder = async () => {
    const dir = await mkdtemp(join(tmpdir(), 'tocsin-replica-'));
    stack.defer(() => rm(dir, { recursive: true, force: true }));
    return dir;
  };
  const start = async (dataDir: string) => {
    const server = await joinEmbeddedPostgres({ dataDir, logger: silentLogger });
    return { server, url: `postgres://postgres@${encodeURIComponent(server.connection.host ?? '')}/postgres` };
  };
  const dataDir = await folder();
  await (await start(dataDir)).server[Symbol.asyncDispose]();
  const copyOf = async (dir: string) => {
    await cp(join(dataDir, 'postgres'), join(dir, 'postgres'), { recursive: true, preserveTimestamps: true });
    return dir;
  };
  const [copyDir, otherDir] = [await copyOf(await folder()), hasOther ? await copyOf(await folder()) : null];
  const primary = await start(dataDir);
  stack.use(primary.server);
  const follow = async (dir: string) => {
    await writeFile(join(dir, 'postgres', 'standby.signal'), '');
    await writeFile(
      join(dir, 'postgres', 'postgresql.auto.conf'),
      `primary_conninfo = 'host=${primary.server.connection.host} user=postgres'\n`,
    );
    return start(dir);
  };
  const replica = await follow(copyDir);
  const other = otherDir === null ? null : await follow(otherDir);
  if (other !== null) {
    stack.use(other.server);
  }
  const control = new Client(replica.url);
  const gone = new Promise((resolve) => control.once('end', resolve));
  control.on('error', () => undefined);
  await control.connect();
  return {
    url: primary.url,
    replicaUrl: replica.url,
    otherUrl: other?.url ?? '',
    control,
    stopReplica: async () => {
      const pid = Number.parseInt(await readFile(join(copyDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
      await replica.server[Symbol.asyncDispose](); // it goes on for those who are connected
      process.kill(pid, 'SIGQUIT');
      await gone;
    },
  };
}

/** A client of both, which knows nothing of the replica yet. */
async function openBoth(stack: AsyncDisposableStack, url: string, readUrl: string) {
  const database = stack.use(await openDatabase({ url, readUrl, dataDir: '', logger: silentLogger }));
  const writing = await database.open<Tables>('part', NOTES);
  const reading = database.share<Tables>('part', 'reading');
  /** Writes, and reads at once. */
  return async (text: string) => {
    await writing.insertInto('note').values({ text }).execute();
    const { rows } = await sql<{ server: string; isThere: boolean }>`
      select case when pg_is_in_recovery() then 'replica' else 'primary' end as server,
        exists (select from note where text = ${text}) as "isThere"`.execute(reading);
    return rows[0];
  };
}

it('reads from a replica what was committed before, and from the primary while the replica is behind or away', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, replicaUrl, control, stopReplica } = await startServers(stack);
  const readBack = await openBoth(stack, url, replicaUrl);

  await expect.poll(() => readBack('first')).toEqual({ server: 'replica', isThere: true });
  await control.query('select pg_wal_replay_pause()');
  const behind = await readBack('second');
  await control.query('select pg_wal_replay_resume()');
  await expect.poll(() => readBack('third')).toEqual({ server: 'replica', isThere: true });
  await stopReplica();
  const away = await readBack('fourth');

  expect(behind).toEqual({ server: 'primary', isThere: true });
  expect(away).toEqual({ server: 'primary', isThere: true });
});

it('reads from the primary while the replica follows the primary of before, even further', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, replicaUrl, otherUrl, control, stopReplica } = await startServers(stack, true);
  await query(otherUrl, 'select pg_promote()');
  await query(url, "create table later as select repeat('x', 100) from generate_series(1, 10000)");
  const [{ position } = { position: '' }] = await query<{ position: string }>(
    url,
    'select pg_current_wal_flush_lsn() as position',
  );
  const isFurther = async () =>
    (await control.query<{ is: boolean }>('select pg_last_wal_replay_lsn() >= $1::pg_lsn as is', [position])).rows[0]
      ?.is;
  await expect.poll(isFurther).toBe(true);
  const readBack = await openBoth(stack, otherUrl, replicaUrl);

  const promoted = await readBack('first');
  await stopReplica();

  expect(promoted).toEqual({ server: 'primary', isThere: true });
});

it('reads from the primary while the replica does not answer', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, replicaUrl, control, stopReplica } = await startServers(stack);
  const readBack = await openBoth(stack, url, replicaUrl);
  await expect.poll(() => readBack('first')).toEqual({ server: 'replica', isThere: true });
  const { rows } = await control.query<{ pid: number }>(
    "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );

  signal(rows, 'SIGSTOP');
  const frozen = await readBack('second');
  signal(rows, 'SIGCONT');
  await stopReplica();

  expect(frozen).toEqual({ server: 'primary', isThere: true });
});

async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

function signal(processes: readonly { readonly pid: number }[], name: NodeJS.Signals): void {
  for (const { pid } of processes) {
    process.kill(pid, name);
  }
}
