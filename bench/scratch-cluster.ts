import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { joinEmbeddedPostgres } from '../src/database/embedded-postgres.ts';

/** An embedded PostgreSQL as Tocsin starts it, which counts statements, in a temporary folder that is deleted afterwards. */
export interface ScratchCluster extends AsyncDisposable {
  /** @returns the new database's address, for `DATABASE_URL` */
  createDatabase(name: string): Promise<string>;
  /** Terminates every connection, so that running work fails at once and is cleaned up. */
  interrupt(): Promise<void>;
}

export async function startScratchCluster(): Promise<ScratchCluster> {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(joinPath(tmpdir(), 'tocsin-bench-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const join = () => joinEmbeddedPostgres({ dataDir, logger: pino({ level: 'silent' }) });
  const runOn = async ({ connection }: Awaited<ReturnType<typeof join>>, statement: string) => {
    const client = new Client(connection);
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  {
    await using first = await join();
    await runOn(first, 'alter system set shared_preload_libraries = pg_stat_statements'); // needs another start
  }
  const server = stack.use(await join());
  const { user, host = '' } = server.connection;
  const runOnServer = (statement: string) => runOn(server, statement);
  const started = stack.move();
  return {
    async createDatabase(name) {
      await runOnServer(`create database ${name}`);
      return `postgres://${user}@${encodeURIComponent(host)}/${name}`;
    },
    interrupt: () =>
      runOnServer(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      ),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Runs `work` with a connection whose search path is the schema. */
export async function withConnection<T>(
  databaseUrl: string,
  schema: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: databaseUrl, options: `-c search_path=${schema}` });
  client.on('error', () => undefined); // the error also reaches the caller of the query
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
