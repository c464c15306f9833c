import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../../test/support/logger.ts';
import { locateCluster } from './cluster.ts';
import { type Database, openDatabase } from './database.ts';
import { stopUnusedPostgres } from './embedded-postgres.ts';
import { findServer, stopServer } from './server.ts';

const isLinux = process.platform === 'linux'; // it lists processes in /proc
const isRoot = process.getuid?.() === 0;

const NOTES = {
  '0001-notes': { up: (db: Kysely<unknown>) => db.schema.createTable('note').addColumn('text', 'text').execute() },
};

it('keeps its data and leaves no process or socket behind', async () => {
  const folder = await makeFolder();
  {
    await using database = await folder.open();
    const db = await database.open<{ note: { text: string } }>('part', NOTES);
    await db.insertInto('note').values({ text: 'kept' }).execute();
  }

  expect(await folder.server()).toBeNull();
  await expect(stat((await locateCluster(folder.path)).socketDir)).rejects.toThrow('ENOENT');

  await using database = await folder.open();
  const db = await database.open<{ note: { text: string } }>('part', NOTES);
  expect(await db.selectFrom('note').selectAll().execute()).toEqual([{ text: 'kept' }]);
});

it('listens on no port', async () => {
  const folder = await makeFolder();
  await using database = await folder.open();
  const db = await database.open('part', {});

  const { rows } = await sql`show listen_addresses`.execute(db);

  expect(rows).toEqual([{ listen_addresses: '' }]);
});

it('uses the server that a killed process left running, and stops it at the end', async () => {
  const folder = await makeFolder();
  const process = await folder.openInProcess();
  const before = await folder.server();

  process.kill('SIGKILL');
  await once(process, 'exit');
  {
    await using database = await folder.open();
    expect(await folder.server()).toEqual(before);
    await expect.poll(() => countMembers(database)).toBe(1); // the server notices the death a moment later
  }

  expect(before).not.toBeNull();
  expect(await folder.server()).toBeNull();
});

it.runIf(isLinux)('is stopped soon after its only process was killed', async () => {
  const folder = await makeFolder();
  const process = await folder.openInProcess(1);
  expect(await folder.server()).not.toBeNull();

  process.kill('SIGKILL');

  await expect.poll(folder.server, { timeout: 15_000 }).toBeNull();
  await expect.poll(folder.watchdogs).toEqual([]);
  await expect(stat((await locateCluster(folder.path)).socketDir)).rejects.toThrow('ENOENT');
});

it.runIf(isLinux)('is not stopped by the watchdog of a killed process when another one uses it', async () => {
  const folder = await makeFolder();
  const process = await folder.openInProcess(0.5);
  const before = await folder.server();

  process.kill('SIGKILL');
  await once(process, 'exit');
  await using database = await folder.open();
  await expect.poll(folder.watchdogs, { timeout: 15_000 }).toHaveLength(1); // ours; the other one has checked and ended

  expect(await folder.server()).toEqual(before);
  await expect(database.check()).resolves.toBeUndefined();
});

it('leaves a folder as it is when it checks for a server after its owner was killed and none runs', async () => {
  const folder = await makeFolder();

  expect(await stopUnusedPostgres(folder.path)).toBe(true);
  expect(await readdir(folder.path)).toEqual([]);

  const removed = join(folder.path, 'removed');
  expect(await stopUnusedPostgres(removed)).toBe(true);
  await expect(stat(removed)).rejects.toThrow('ENOENT');
});

it.runIf(isLinux)('leaves no watchdog behind', async () => {
  const folder = await makeFolder();
  const database = await folder.open();
  const during = await folder.watchdogs();

  await database[Symbol.asyncDispose]();

  expect(during).toHaveLength(1);
  await expect.poll(folder.watchdogs).toEqual([]);
});

it('is shared by processes that start at the same time, and stopped by the last to leave', async () => {
  const folder = await makeFolder();

  const [one, two, database] = await Promise.all([folder.openInProcess(), folder.openInProcess(), folder.open()]);
  const shared = await folder.server();
  await Promise.all([leave(one), leave(two)]);

  await database.check();
  expect(await folder.server()).toEqual(shared);
  await database[Symbol.asyncDispose]();
  expect(await folder.server()).toBeNull();
});

it('is stopped when all leave at the same time', async () => {
  const folder = await makeFolder();
  const databases = await Promise.all([folder.open(), folder.open(), folder.open()]);

  await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()));

  expect(await folder.server()).toBeNull();
});

it('survives Ctrl-C until its process is done', async () => {
  const folder = await makeFolder();
  const process = await folder.openInProcess();

  globalThis.process.kill(-(process.pid ?? 0), 'SIGINT'); // a terminal sends it to the whole group

  expect(await nextLine(process)).toBe('still there');
  await leave(process);
  expect(await folder.server()).toBeNull();
});

it('does not keep a process alive', async () => {
  const folder = await makeFolder();
  const process = folder.run('');

  expect(await once(process, 'exit')).toEqual([0, null]);

  await (await folder.open())[Symbol.asyncDispose](); // that process left it running; the next one stops it
  expect(await folder.server()).toBeNull();
});

it('restarts after the server was killed', async () => {
  const folder = await makeFolder();
  await using database = await folder.open();
  const db = await database.open<{ note: { text: string } }>('part', NOTES);
  await db.insertInto('note').values({ text: 'kept' }).execute();
  const before = await folder.server();

  process.kill(before?.pid ?? 0, 'SIGKILL');

  await expect.poll(folder.server, { timeout: 15_000 }).toMatchObject({ pid: expect.not.toBeOneOf([before?.pid]) });
  const read = () => db.selectFrom('note').selectAll().execute();
  await expect.poll(() => read().catch(() => null)).toEqual([{ text: 'kept' }]);
});

it('starts after a crash of the machine when another program has its old process id', async () => {
  const folder = await makeFolder();
  const { dataDir, user } = await folder.crash();
  const stranger = spawn('sleep', ['600'], { stdio: 'ignore', ...user });
  await using _ = endAfterwards(stranger);
  const note = join(dataDir, 'postmaster.pid');
  await writeFile(note, (await readFile(note, 'utf8')).replace(/^\d+/, String(stranger.pid)));

  await using database = await folder.open();

  await expect(database.check()).resolves.toBeUndefined();
});

it('starts after an interrupted first start', async () => {
  const folder = await makeFolder();
  const process = folder.run('');
  await expect.poll(() => readdir(folder.path), { interval: 5 }).toContainEqual(expect.stringContaining('.initdb-'));
  globalThis.process.kill(-(process.pid ?? 0), 'SIGKILL');
  await once(process, 'exit');
  expect(await readdir(folder.path)).not.toContain('postgres');

  await using database = await folder.open();

  await expect(database.check()).resolves.toBeUndefined();
  expect((await readdir(folder.path)).sort()).toEqual(['postgres', 'postgres.lock', 'postgres.log']);
});

it('reports why a server does not start', async () => {
  const folder = await makeFolder();
  const { dataDir } = await folder.crash();
  await writeFile(join(dataDir, 'PG_VERSION'), '12\n');

  await expect(folder.open()).rejects.toThrow(
    /^the embedded PostgreSQL does not start: database files are incompatible with server; see .*postgres\.log$/,
  );
});

it('reports that the data folder cannot be created', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder.path, 'file'), '');

  const start = openDatabase({ url: null, dataDir: join(folder.path, 'file', 'data'), logger: silentLogger });

  await expect(start).rejects.toThrow(/^the data folder .* cannot be made \(ENOTDIR\); set DATA_DIR to another$/);
});

it.runIf(isRoot)('refuses a socket folder of another user', async () => {
  const folder = await makeFolder();
  const { socketDir } = await locateCluster(folder.path);
  await mkdir(socketDir, { mode: 0o700 });
  await chown(socketDir, 54321, 54321);

  await expect(folder.open()).rejects.toThrow(`${socketDir} was made by somebody else`);
});

async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), 'tocsin-test-'));
  const open = () => openDatabase({ url: null, dataDir: path, logger: silentLogger });
  onTestFinished(async () => {
    await processes.disposeAsync();
    const cluster = await locateCluster(path);
    await stopServer(cluster);
    await rm(cluster.socketDir, { recursive: true, force: true });
    await rm(path, { recursive: true, force: true });
  });
  const processes = new AsyncDisposableStack();

  /** Runs a program that opens the database and then runs `then`. It leads a process group, as in a shell. */
  function run(then: string, orphanGraceSeconds = 15): ChildProcess {
    const script = `
      import { openDatabase } from ${JSON.stringify(new URL('./database.ts', import.meta.url))};
      import { silentLogger } from ${JSON.stringify(new URL('../../test/support/logger.ts', import.meta.url))};
      const options = { url: null, dataDir: ${JSON.stringify(path)}, orphanGraceSeconds: ${orphanGraceSeconds} };
      const database = await openDatabase({ ...options, logger: silentLogger });
      ${then}
      console.log('open');`;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
    const child = spawn(process.execPath, args, { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
    processes.use(endAfterwards(child));
    return child;
  }

  async function openInProcess(orphanGraceSeconds?: number): Promise<ChildProcess> {
    const script = `
      process.on('SIGINT', async () => { await database.check(); console.log('still there'); });
      process.stdin.resume().once('end', () => database[Symbol.asyncDispose]());`;
    const child = run(script, orphanGraceSeconds);
    expect(await nextLine(child)).toBe('open');
    return child;
  }

  return {
    path,
    open,
    run,
    openInProcess,
    server: async () => findServer(await locateCluster(path)),
    /** The processes of watchdogs, waiting or checking. */
    watchdogs: async () => {
      const commands = (await readdir('/proc'))
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
      return (await Promise.all(commands)).filter((command) => command.includes(`stop-orphan.ts\0${path}\0`));
    },
    /** Leaves a cluster whose server and member were killed together, as in a power cut. */
    async crash() {
      const child = await openInProcess();
      const cluster = await locateCluster(path);
      const server = await findServer(cluster);
      child.kill('SIGKILL');
      await once(child, 'exit');
      process.kill(server?.pid ?? 0, 'SIGKILL');
      await expect.poll(() => findServer(cluster)).toBeNull();
      return cluster;
    },
  };
}

function endAfterwards(child: ChildProcess): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    },
  };
}

async function leave(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
}

async function nextLine(child: ChildProcess): Promise<string> {
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`the program ended with ${signal ?? code}`);
  });
  const [data] = child.stdout === null ? [] : await Promise.race([once(child.stdout, 'data'), ended]);
  return String(data).trim();
}

/** Processes whose connections the server still holds, ours included. */
async function countMembers(database: Database): Promise<number> {
  const db = await database.open('part', {});
  const { rows } = await sql<{ members: number }>`
    select count(distinct application_name)::int as members from pg_stat_activity
    where backend_type = 'client backend'`.execute(db);
  return rows[0]?.members ?? 0;
}
