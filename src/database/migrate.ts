import { type Kysely, sql, type Transaction } from 'kysely';
import type { Migration } from 'kysely/migration';
import { DatabaseStartError, errorCode } from './errors.ts';
import { fingerprintOf } from './migration-text.ts';

/** By name; they run in the order of their names. */
export type Migrations = Readonly<Record<string, Migration>>;

/** Names of migrations that remove something that the previous version uses, so that it cannot run beside them. */
const CONTRACTING = /^\d+-contract-/;

/** SQLSTATEs of a table or a schema that is not there. */
const MISSING: readonly (string | null)[] = ['42P01', '3F000'];

interface Applied {
  readonly name: string;
  /** null: it ran before fingerprints were stored. */
  readonly fingerprint: string | null;
}

/**
 * Runs pending migrations, each once, in one transaction and in one process at a time. What a newer version has added is
 * left alone. Nothing is changed if the schema is not what this version, an earlier or a newer one has made of it.
 *
 * @throws DatabaseStartError
 */
export async function migrate(
  db: Kysely<unknown>,
  schema: string,
  migrations: Migrations,
  onStep: (step: string) => void,
): Promise<void> {
  const fingerprints = new Map<string, string>();
  for (const [name, migration] of Object.entries(migrations)) {
    fingerprints.set(name, await fingerprintOf(migration));
  }
  const names = [...fingerprints.keys()].toSorted();
  const applied = await readApplied(db, schema).catch((error: unknown) => {
    if (!MISSING.includes(errorCode(error))) {
      throw error;
    }
    return null;
  });
  if (applied !== null) {
    demandSameTexts(schema, applied, fingerprints);
    const known = new Map(applied.map((each) => [each.name, each.fingerprint]));
    if (names.every((name) => (known.get(name) ?? null) !== null)) {
      return;
    }
  }
  await db
    .transaction()
    .execute((trx) => bringUpToDate(trx, { schema, names, migrations, fingerprints, onStep }))
    .catch((cause: unknown) => {
      if (cause instanceof DatabaseStartError) {
        throw cause;
      }
      const reason = cause instanceof Error ? cause.message : 'unknown';
      throw new DatabaseStartError(`the database schema ${schema} cannot be brought up to date: ${reason}`, { cause });
    });
}

interface Work {
  readonly schema: string;
  readonly names: readonly string[];
  readonly migrations: Migrations;
  readonly fingerprints: ReadonlyMap<string, string>;
  readonly onStep: (step: string) => void;
}

async function bringUpToDate(
  trx: Transaction<unknown>,
  { schema, names, migrations, fingerprints, onStep }: Work,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`tocsin migrations of ${schema}`}, 0))`.execute(trx);
  await createTable(trx, schema);
  const applied = await readApplied(trx, schema); // another process may have been faster
  demandSameTexts(schema, applied, fingerprints);
  const unproved = applied.filter(({ name, fingerprint }) => fingerprint === null && fingerprints.has(name));
  if (unproved.length > 0) {
    await demandSameColumns(trx, schema, migrations, unproved);
  }
  const done = new Set(applied.map(({ name }) => name));
  const pending = names.filter((name) => !done.has(name));
  if (pending.length > 0) {
    onStep(`bringing the schema ${schema} up to date: ${pending.join(', ')}`);
  }
  for (const name of pending) {
    await migrations[name]?.up(trx);
    await sql`insert into ${tableOf(schema)} (name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(
      trx,
    );
  }
  for (const name of [...pending, ...unproved.map((each) => each.name)]) {
    await sql`update ${tableOf(schema)} set fingerprint = ${fingerprints.get(name)} where name = ${name}`.execute(trx);
  }
}

/** The table is that of Kysely's migrator, which earlier versions used, and a column. */
async function createTable(trx: Transaction<unknown>, schema: string): Promise<void> {
  const { rows } = await sql`select from pg_namespace where nspname = ${schema}`.execute(trx);
  if (rows.length === 0) {
    await sql`create schema ${sql.id(schema)}`.execute(trx);
  }
  const table = tableOf(schema);
  await sql`create table if not exists ${table} (name text primary key, timestamp text not null)`.execute(trx);
  await sql`alter table ${table} add column if not exists fingerprint text`.execute(trx);
}

function tableOf(schema: string) {
  return sql.table(`${schema}.kysely_migration`);
}

async function readApplied(db: Kysely<unknown>, schema: string): Promise<readonly Applied[]> {
  const { rows } = await sql<Applied>`
    select name, to_jsonb(each) ->> 'fingerprint' as fingerprint from ${tableOf(schema)} each`.execute(db);
  return rows;
}

function demandSameTexts(schema: string, applied: readonly Applied[], fingerprints: ReadonlyMap<string, string>): void {
  const contracted = applied.find(({ name }) => !fingerprints.has(name) && CONTRACTING.test(name));
  if (contracted !== undefined) {
    throw new DatabaseStartError(
      `the database schema ${schema} was migrated by a newer version of Tocsin, which this one cannot work with; start the newer version, or restore a backup from before the upgrade`,
    );
  }
  const edited = applied.find(({ name, fingerprint }) => {
    const expected = fingerprints.get(name);
    return expected !== undefined && fingerprint !== null && fingerprint !== expected;
  });
  if (edited !== undefined) {
    throw new DatabaseStartError(
      `the database schema ${schema} was made by a version of Tocsin whose migration ${edited.name} is another one, so nothing was changed; start that version, or set DATABASE_URL or DATA_DIR to an empty database`,
    );
  }
}

/**
 * Compares a schema from before fingerprints with what its migrations make, in a schema beside it that is dropped again.
 * More columns are no fault: a newer version may have added them.
 */
async function demandSameColumns(
  trx: Transaction<unknown>,
  schema: string,
  migrations: Migrations,
  applied: readonly Applied[],
): Promise<void> {
  const rehearsal = `${schema}_rehearsal`;
  await sql`create schema ${sql.id(rehearsal)}`.execute(trx);
  await sql`set local search_path to ${sql.id(rehearsal)}`.execute(trx);
  for (const { name } of applied.toSorted((one, other) => one.name.localeCompare(other.name))) {
    await migrations[name]?.up(trx);
  }
  const columns = (of: string) =>
    sql`select table_name || '.' || column_name as name, data_type from information_schema.columns where table_schema = ${of}`;
  const { rows } = await sql<{ name: string }>`${columns(rehearsal)} except ${columns(schema)} order by 1`.execute(trx);
  await sql`drop schema ${sql.id(rehearsal)} cascade`.execute(trx);
  await sql`set local search_path to ${sql.id(schema)}`.execute(trx);
  if (rows.length > 0) {
    const lacking = rows.map(({ name }) => name);
    throw new DatabaseStartError(
      `the database schema ${schema} was made by an unreleased version of Tocsin (it lacks ${lacking.slice(0, 3).join(', ')}${lacking.length > 3 ? ` and ${lacking.length - 3} more` : ''}), so nothing was changed; start that version, or set DATABASE_URL or DATA_DIR to an empty database`,
    );
  }
}
