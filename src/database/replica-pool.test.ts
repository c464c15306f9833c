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

/** A server, and a streaming replica that began as a copy of its folder. */
async function startServers(stack: AsyncDisposableStack) {
  const folder = async () => {
    const dir = await mkdtemp(join(tmpdir(), 'tocsin-replica-'));
    stack.defer(() => rm(dir, { recursive: true, force: true }));
    return dir;
  };
  const start = async (dataDir: string) => {
    const server = await joinEmbeddedPostgres({ dataDir, logger: silentLogger });
    return { server, url: `postgres://postgres@${encodeURIComponent(server.connection.host ?? '')}/postgres` };
  };
  const [dataDir, copyDir] = [await folder(), await folder()];
  await (await start(dataDir)).server[Symbol.asyncDispose]();
  const copy = join(copyDir, 'postgres');
  await cp(join(dataDir, 'postgres'), copy, { recursive: true, preserveTimestamps: true });
  const primary = await start(dataDir);
  stack.use(primary.server);
  await writeFile(join(copy, 'standby.signal'), '');
  await writeFile(
    join(copy, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${primary.server.connection.host} user=postgres'\n`,
  );
  const replica = await start(copyDir);
  const control = new Client(replica.url);
  const gone = new Promise((resolve) => control.once('end', resolve));
  control.on('error', () => undefined);
  await control.connect();
  return {
    url: primary.url,
    replicaUrl: replica.url,
    control,
    stopReplica: async () => {
      const pid = Number.parseInt(await readFile(join(copy, 'postmaster.pid'), 'utf8'), 10);
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

function signal(processes: readonly { readonly pid: number }[], name: NodeJS.Signals): void {
  for (const { pid } of processes) {
    process.kill(pid, name);
  }
}
