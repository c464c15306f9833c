import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { silentLogger } from '../../test/support/logger.ts';
import { shared } from '../../test/support/shared.ts';
import { openDatabase } from './database.ts';
import { DatabaseStartError, DatabaseUnreachableError } from './errors.ts';

interface Tables {
  note: { text: string };
}

const NOTES = {
  '0001-notes': { up: (db: Kysely<unknown>) => db.schema.createTable('note').addColumn('text', 'text').execute() },
};

it('gives each part its own schema', async () => {
  await using database = await createTestDatabase();
  const one = await database.open<Tables>('one', NOTES);
  const two = await database.open<Tables>('two', NOTES);

  await one.insertInto('note').values({ text: 'mine' }).execute();

  expect(await one.selectFrom('note').selectAll().execute()).toEqual([{ text: 'mine' }]);
  expect(await two.selectFrom('note').selectAll().execute()).toEqual([]);
});

it('runs a migration once, however many processes open the schema', async () => {
  await using database = await createTestDatabase();
  const slow = {
    '0001-slow': {
      up: async (db: Kysely<unknown>) => {
        await sql`create table once as select 1 from pg_sleep(0.1)`.execute(db); // fails if it is there already
      },
    },
  };
  await using others = new AsyncDisposableStack();
  const replicas = [0, 1, 2].map(async () => others.use(await openAgain(database.url)));

  const opened = Promise.all((await Promise.all(replicas)).map((replica) => replica.open('part', slow)));

  await expect(opened).resolves.toHaveLength(3);
});

it('runs only the migrations that have not run yet', async () => {
  await using database = await createTestDatabase();
  await database.open('part', NOTES);
  const author = {
    '0002-author': {
      up: (db: Kysely<unknown>) => db.schema.alterTable('note').addColumn('author', 'text').execute(),
    },
  };

  const db = await database.open<Tables>('part', { ...NOTES, ...author });

  await db.insertInto('note').values({ text: 'kept' }).execute();
  expect(await db.selectFrom('note').selectAll().execute()).toEqual([{ text: 'kept', author: null }]);
});

it('reports why a migration fails, and leaves the schema unchanged', async () => {
  await using database = await createTestDatabase();
  const broken = {
    ...NOTES,
    '0002-broken': { up: (db: Kysely<unknown>) => db.schema.dropTable('never_made').execute() },
  };

  await expect(database.open('part', broken)).rejects.toThrow(
    'the database schema part cannot be brought up to date: table "never_made" does not exist',
  );

  await expect(database.open('part', NOTES)).resolves.toBeDefined(); // 0001 was rolled back too
});

const withAuthor = (name: string) => ({
  ...NOTES,
  [name]: { up: (db: Kysely<unknown>) => db.schema.alterTable('note').addColumn('author', 'text').execute() },
});

it('works beside a newer version that has only added something', async () => {
  await using database = await createTestDatabase();
  const newer = await database.open<Tables>('part', withAuthor('0002-author'));

  const older = await database.open<Tables>('part', NOTES);
  await older.insertInto('note').values({ text: 'of the older' }).execute();
  const again = await database.open<Tables>('part', withAuthor('0002-author'));

  expect(await newer.selectFrom('note').selectAll().execute()).toEqual([{ text: 'of the older', author: null }]);
  await expect(again.selectFrom('note').selectAll().execute()).resolves.toHaveLength(1);
});

it('refuses a schema from which a newer version has taken something away, and leaves it as it is', async () => {
  await using database = await createTestDatabase();
  const newer = await database.open<Tables>('part', withAuthor('0002-contract-author'));
  await newer.insertInto('note').values({ text: 'kept' }).execute();

  const older = database.open('part', NOTES);

  await expect(older).rejects.toThrow(DatabaseStartError);
  await expect(older).rejects.toThrow('the database schema part was migrated by a newer version of Tocsin');
  expect(await newer.selectFrom('note').selectAll().execute()).toEqual([{ text: 'kept', author: null }]);
});

it('aborts a statement that takes too long', async () => {
  await using database = await createTestDatabase();
  const db = await database.open('part', {});

  const { rows } = await sql`show statement_timeout`.execute(db);

  expect(rows).toEqual([{ statement_timeout: '10s' }]);
});

it('reconnects when the server closes its connections', async () => {
  await using database = await createTestDatabase();
  await using second = await openAgain(database.url);
  const db = await database.open<Tables>('part', NOTES);
  const killer = await second.open('part', NOTES);
  await db.selectFrom('note').selectAll().execute();

  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(killer);

  await expect.poll(() => db.selectFrom('note').selectAll().execute()).toEqual([]);
});

it('reports that the server cannot be reached any more', async () => {
  await using other = new AsyncDisposableStack();
  const database = await createTestDatabase();
  const second = other.use(await openAgain(database.url));
  await second.check();

  await database[Symbol.asyncDispose]();

  await expect(second.check()).rejects.toThrow(DatabaseUnreachableError);
});

it.each([
  ['not an address', 'sesame'],
  ['of another kind', 'mysql://tocsin:sesame@127.0.0.1/tocsin'],
])('refuses a DATABASE_URL that is %s', async (_, url) => {
  expect(await refusal(url)).toBe('DATABASE_URL must be like postgres://user:password@host:5432/database');
});

it('reports that nothing listens at DATABASE_URL', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));

  const message = await refusal(`postgres://tocsin:sesame@127.0.0.1:${port}/tocsin`);

  expect(message).toBe(
    `PostgreSQL (127.0.0.1:${port}/tocsin) cannot be reached: nothing listens there; check DATABASE_URL`,
  );
});

it('reports that the database in DATABASE_URL does not exist', async () => {
  const url = new URL((await shared('database')).url);
  url.pathname = 'not_there';

  expect(await refusal(url.href)).toContain('not_there) cannot be reached: it has no database of that name');
});

it('reports that the password in DATABASE_URL is refused', async () => {
  const refuse = (socket: Socket) =>
    socket.once('data', () => socket.end(writeError('28P01', 'password authentication failed for user "tocsin"')));
  await using server = createServer(refuse).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const message = await refusal(`postgres://tocsin:sesame@127.0.0.1:${port}/tocsin`);

  expect(message).toContain('it refused the user name or the password; check DATABASE_URL');
});

it.each(['refuses', 'drops'] as const)(
  'uses its schema behind a pooler that %s the settings of connections',
  async (does) => {
    await using database = await createTestDatabase();
    await using pooler = createServer((socket) => pass(socket, database.url, does)).listen(0, '127.0.0.1');
    await once(pooler, 'listening');
    const url = new URL(database.url);
    url.host = `127.0.0.1:${(pooler.address() as AddressInfo).port}`;
    await using behind = await openAgain(url.href);

    const notes = await behind.open<Tables>('part', NOTES);
    await notes.insertInto('note').values({ text: 'alone' }).execute();
    await notes.transaction().execute(async (tx) => {
      await tx.insertInto('note').values({ text: 'in a transaction' }).execute();
    });

    const db = await database.open<Tables>('part', NOTES);
    const { rows } = await sql`select schemaname from pg_tables where tablename = 'note'`.execute(db);
    expect(rows).toEqual([{ schemaname: 'part' }]);
    expect(await db.selectFrom('note').selectAll().execute()).toEqual([
      { text: 'alone' },
      { text: 'in a transaction' },
    ]);
  },
);

/** Like PgBouncer, with and without `ignore_startup_parameters`. */
function pass(socket: Socket, databaseUrl: string, does: 'refuses' | 'drops'): void {
  socket.once('data', (startup) => {
    const parameters = startup.subarray(8).toString().split('\0');
    const at = parameters.indexOf('options');
    if (at >= 0 && does === 'refuses') {
      socket.end(writeError('08P01', 'unsupported startup parameter: options'));
      return;
    }
    const kept = Buffer.from(at < 0 ? parameters.join('\0') : parameters.toSpliced(at, 2).join('\0'));
    const header = Buffer.alloc(8);
    header.writeInt32BE(kept.length + 8);
    startup.copy(header, 4, 4, 8);
    const { hostname, port } = new URL(databaseUrl);
    const host = decodeURIComponent(hostname);
    const server = host.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port || 5432}`)
      : connect(Number(port || 5432), host);
    server.on('error', () => socket.destroy());
    socket.on('error', () => server.destroy());
    server.write(Buffer.concat([header, kept]));
    server.pipe(socket).pipe(server);
  });
}

/** A fatal error in PostgreSQL's protocol. */
function writeError(code: string, message: string): Buffer {
  const fields = `SFATAL\0VFATAL\0C${code}\0M${message}\0\0`;
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  return Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)]);
}

it('keeps the options of DATABASE_URL in addition to its own', async () => {
  await using database = await createTestDatabase();
  const url = new URL(database.url);
  url.searchParams.set('options', '-c work_mem=5MB');
  await using second = await openAgain(url.href);
  const db = await second.open('part', {});

  const { rows } = await sql`select current_setting('work_mem') as work_mem, current_schema() as schema`.execute(db);

  expect(rows).toEqual([{ work_mem: '5MB', schema: 'part' }]);
});

function openAgain(url: string) {
  return openDatabase({ url, dataDir: '', logger: silentLogger });
}

/** The error of a start with this URL. Neither the message nor the logged error may contain the password. */
async function refusal(url: string): Promise<string> {
  const error: unknown = await openAgain(url).catch((err) => err);
  expect(error).toBeInstanceOf(DatabaseStartError);
  expect(JSON.stringify(pino.stdSerializers.errWithCause(error as Error))).not.toContain('sesame');
  return (error as Error).message;
}

it('begins a transaction with its first statement, with or without parameters, and undoes all of it', async () => {
  await using database = await createTestDatabase();
  const db = await database.open<Tables>('one', NOTES);
  const texts = async () => (await db.selectFrom('note').selectAll().orderBy('text').execute()).map(({ text }) => text);
  const failed = (first: string) =>
    db.transaction().execute(async (tx) => {
      await (first === 'literal'
        ? sql`insert into note values ('undone')`.execute(tx)
        : tx.insertInto('note').values({ text: 'undone' }).execute());
      throw new Error('on purpose');
    });

  await db.transaction().execute(async () => undefined);
  await db.transaction().execute((tx) => sql`insert into note values ('a literal')`.execute(tx));
  await db.transaction().execute((tx) => tx.insertInto('note').values({ text: 'a parameter' }).execute());
  const { rows } = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((tx) => sql<{ level: string }>`select current_setting('transaction_isolation') as level`.execute(tx));
  await expect(failed('literal')).rejects.toThrow('on purpose');
  await expect(failed('parameter')).rejects.toThrow('on purpose');

  expect(rows).toEqual([{ level: 'repeatable read' }]);
  expect(await texts()).toEqual(['a literal', 'a parameter']);
});
