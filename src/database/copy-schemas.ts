import { type Client, escapeIdentifier } from 'pg';

/** Rows per statement. */
const BATCH = 1_000;
/** The tables of migrations, which the migrations have already filled in the target. */
const OF_MIGRATIONS = ['kysely_migration', 'kysely_migration_lock'];

interface Table {
  readonly name: string;
  /** Stored columns only, because PostgreSQL computes generated ones. */
  readonly columns: readonly string[];
}

interface Contents {
  readonly rows: number;
  /** Digest of all rows that does not depend on their order. */
  readonly digest: string;
}

/** Tables that differ after they were copied. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

/**
 * Copies all rows and the state of all sequences, in one snapshot of the source and in one transaction of the target, and
 * compares them. Both must have the same tables, from the same migrations. Rows that the target had are deleted.
 *
 * Rows travel as PostgreSQL writes them as text, so that each type arrives as it was. Triggers do not run, since what they
 * maintain is copied too, and references are checked at the end, so that the order of tables does not matter.
 *
 * @returns the number of rows
 * @throws CopyError
 */
export async function copySchemas(source: Client, target: Client, schemas: readonly string[]): Promise<number> {
  await source.query(`set timezone = 'UTC'; begin isolation level repeatable read read only`);
  await target.query(`set timezone = 'UTC'; begin`);
  try {
    const tables = await listTables(source, schemas);
    const names = tables.map(({ name }) => name).join(', ');
    const references = await dropReferences(target, schemas);
    await target.query(`truncate ${names}`);
    await createPartitions(source, target, schemas);
    let rows = 0;
    for (const table of tables) {
      rows += await copyTable(source, target, table);
    }
    await copySequences(source, target, schemas);
    await target.query(references.join('; '));
    await target.query('commit');
    await target.query(`analyze ${names}`);
    return rows;
  } catch (error) {
    await target.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    await source.query('rollback').catch(() => undefined);
  }
}

/** A table with partitions stands for all of them. */
async function listTables(source: Client, schemas: readonly string[]): Promise<Table[]> {
  const { rows } = await source.query<Table>(
    `select format('%I.%I', n.nspname, c.relname) as name,
        array_agg(quote_ident(a.attname) order by a.attnum) as columns
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all($2)
      group by n.nspname, c.relname
      order by n.nspname, c.relname`,
    [schemas, OF_MIGRATIONS],
  );
  return rows;
}

/** @returns the statements that create them again */
async function dropReferences(target: Client, schemas: readonly string[]): Promise<string[]> {
  const { rows } = await target.query<{ drop: string; create: string }>(
    `select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as drop,
        format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) as create
      from pg_constraint c join pg_namespace n on n.oid = c.connamespace
      where c.contype = 'f' and c.conparentid = 0 and n.nspname = any($1)`,
    [schemas],
  );
  await target.query(rows.map(({ drop }) => drop).join('; '));
  return rows.map(({ create }) => create);
}

async function createPartitions(source: Client, target: Client, schemas: readonly string[]): Promise<void> {
  const { rows } = await source.query<{ statement: string }>(
    `select format('create table if not exists %I.%I partition of %I.%I %s', n.nspname, c.relname, pn.nspname, p.relname,
        pg_get_expr(c.relpartbound, c.oid)) as statement
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_inherits i on i.inhrelid = c.oid
      join pg_class p on p.oid = i.inhparent
      join pg_namespace pn on pn.oid = p.relnamespace
      where n.nspname = any($1) and c.relkind = 'r' and c.relispartition`,
    [schemas],
  );
  for (const { statement } of rows) {
    await target.query(statement);
  }
}

/** @throws CopyError */
async function copyTable(source: Client, target: Client, { name, columns }: Table): Promise<number> {
  await target.query(`alter table ${name} disable trigger user`);
  await source.query(`declare moved no scroll cursor for select (t)::text as row from ${name} t`);
  const insert = `
    with moved as materialized (select unnest($1::text[])::${name} as t)
    insert into ${name} (${columns.join(', ')}) overriding system value
    select ${columns.map((column) => `(t).${column}`).join(', ')} from moved`;
  for (;;) {
    const { rows } = await source.query<{ row: string }>(`fetch ${BATCH} from moved`);
    if (rows.length === 0) {
      break;
    }
    await target.query(insert, [rows.map(({ row }) => row)]);
  }
  await source.query('close moved');
  await target.query(`alter table ${name} enable trigger user`);
  const [from, to] = await Promise.all([readContents(source, name), readContents(target, name)]);
  if (from.rows !== to.rows || from.digest !== to.digest) {
    throw new CopyError(`the table ${name} differs: ${from.rows} rows were to be moved, and ${to.rows} arrived`);
  }
  return to.rows;
}

async function readContents(client: Client, name: string): Promise<Contents> {
  const { rows } = await client.query<Contents>(
    `select count(*)::integer as rows, coalesce(sum(hashtextextended((t)::text, 0)::numeric), 0)::text as digest
      from ${name} t`,
  );
  return rows[0] ?? { rows: 0, digest: '0' };
}

async function copySequences(source: Client, target: Client, schemas: readonly string[]): Promise<void> {
  const { rows: sequences } = await source.query<{ schema: string; name: string }>(
    `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'S' and n.nspname = any($1)`,
    [schemas],
  );
  for (const sequence of sequences) {
    const name = `${escapeIdentifier(sequence.schema)}.${escapeIdentifier(sequence.name)}`;
    const { rows } = await source.query<{ last_value: string; is_called: boolean }>(
      `select last_value, is_called from ${name}`,
    );
    await target.query('select setval($1::regclass, $2, $3)', [name, rows[0]?.last_value, rows[0]?.is_called]);
  }
}
