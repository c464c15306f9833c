import { readFile } from 'node:fs/promises';
import type { Client } from 'pg';
import { migrations as botMigrations } from '../bot/migrations.ts';
import { BOT_SCHEMA } from '../bot/tables.ts';
import { readConfig } from '../config/config.ts';
import { copySchemas } from '../database/copy-schemas.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { DatabaseStartError } from '../database/errors.ts';
import { createLogger } from '../runtime/logger.ts';
import { serviceMigrations } from '../service/store/schema/migrations.ts';
import { SERVICE_SCHEMA } from '../service/store/schema/tables.ts';
import type { CommandResult, VerbDeps } from './command-result.ts';
import { CommandError, UsageError } from './errors.ts';

export const MOVE_DATABASE_USAGE = 'npm start -- move-database <postgres://… of an empty database, or a file with it>';

const MIGRATIONS = { [SERVICE_SCHEMA]: serviceMigrations, [BOT_SCHEMA]: botMigrations };

/** Copies everything from the embedded PostgreSQL into a database of the operator's own. Tocsin must be stopped. */
export async function runMoveDatabase(args: readonly string[], { env }: VerbDeps): Promise<CommandResult> {
  const url = await readTarget(args);
  const { database } = readConfig(env, []);
  if (database.url !== null) {
    throw new CommandError(
      'DATABASE_URL is set, so the data are not in the embedded PostgreSQL: move them with pg_dump and pg_restore, or unset it',
    );
  }
  const logger = createLogger('warn');
  await using source = await openDatabase({ ...database, logger });
  await using target = await openTarget({ ...database, url, directUrl: null, readUrl: null, logger });
  return await move(source, target);
}

async function readTarget(args: readonly string[]): Promise<string> {
  const [target, ...others] = args;
  if (target === undefined || others.length > 0) {
    throw new UsageError(`name the database to move to\n${MOVE_DATABASE_USAGE}`);
  }
  if (/^postgres(ql)?:/.test(target)) {
    return target;
  }
  try {
    return (await readFile(target, 'utf8')).trim();
  } catch (cause) {
    throw new UsageError(`${target} is neither an address nor a file that can be read\n${MOVE_DATABASE_USAGE}`, {
      cause,
    });
  }
}

async function openTarget(options: Parameters<typeof openDatabase>[0]): Promise<Database> {
  try {
    return await openDatabase(options);
  } catch (error) {
    if (!(error instanceof DatabaseStartError)) {
      throw error;
    }
    const reason = error.message.replace(/; check DATABASE_URL$/, '');
    throw new CommandError(`the new database cannot be used: ${reason}`, { cause: error });
  }
}

async function move(source: Database, target: Database): Promise<CommandResult> {
  const from = await source.connect();
  const to = await target.connect();
  try {
    await demandRest(from);
    const schemas = await schemasOf(from);
    if (schemas.length === 0) {
      throw new CommandError('there is nothing to move: Tocsin has never run with this DATA_DIR');
    }
    await demandEmpty(to);
    const rows = await fill(source, target, schemas, from, to);
    return {
      output: `${rows} rows were moved and compared.`,
      notice:
        'Start with DATABASE_URL set to the new database, and keep DATA_DIR: it has the keys of this machine. ' +
        'Remove DATA_DIR/postgres when you are sure.',
    };
  } finally {
    await Promise.all([from.end(), to.end()]);
  }
}

/** What is written during the move would be lost. */
async function demandRest(from: Client): Promise<void> {
  const { rows } = await from.query(
    `select 1 from pg_stat_activity
      where backend_type = 'client backend' and application_name <> current_setting('application_name')`,
  );
  if (rows.length > 0) {
    throw new CommandError('Tocsin is running with this DATA_DIR: stop it first');
  }
}

async function demandEmpty(to: Client): Promise<void> {
  const present = await schemasOf(to);
  if (present.length > 0) {
    throw new CommandError(
      `the new database is not empty: it has the schema ${present.join(' and ')}. If an earlier move was killed, ` +
        `remove what it left with: drop schema ${present.join(', ')} cascade`,
    );
  }
}

async function schemasOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select nspname as name from pg_namespace where nspname = any($1) order by nspname',
    [Object.keys(MIGRATIONS)],
  );
  return rows.map(({ name }) => name);
}

async function fill(
  source: Database,
  target: Database,
  schemas: readonly string[],
  from: Client,
  to: Client,
): Promise<number> {
  try {
    for (const [schema, migrations] of Object.entries(MIGRATIONS)) {
      if (schemas.includes(schema)) {
        await source.open(schema, migrations);
        await target.open(schema, migrations);
      }
    }
    return await copySchemas(from, to, schemas);
  } catch (error) {
    await to.query(`drop schema if exists ${schemas.join(', ')} cascade`).catch(() => undefined);
    throw error;
  }
}
