import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { BOT_SCHEMA } from '../bot/tables.ts';
import { idOfEmail, idOfSlackUser, VERIFIED_ID } from '../contract/actor.ts';
import { SERVICE_SCHEMA } from '../service/store/schema/tables.ts';
import type { CommandResult, VerbDeps } from './command-result.ts';
import { type Erased, erase, type JsonObject, namesBeside } from './erase-values.ts';
import { CommandError, UsageError } from './errors.ts';
import { openLocalDatabase } from './local-database.ts';

export const ERASE_PERSON_USAGE =
  'npm start -- erase-person <email:ana@example.com, slack:U012AB3CD or openid:subject>';

/**
 * Replaces a person in everything that Tocsin stores, so that the record still says what was done, when, and that one person did
 * it, but not who. Works while Tocsin runs.
 */
export async function runErasePerson(args: readonly string[], { env, now }: VerbDeps): Promise<CommandResult> {
  const [id, ...others] = args;
  if (id === undefined || others.length > 0 || !VERIFIED_ID.test(id)) {
    throw new UsageError(`name the person by an id: people may share names\n${ERASE_PERSON_USAGE}`);
  }
  const { database } = await openLocalDatabase(env, 'people');
  await using _closed = database;
  const client = await database.connect();
  try {
    return await erasePerson(client, id, now());
  } finally {
    await client.end();
  }
}

async function erasePerson(client: Client, id: string, now: Date): Promise<CommandResult> {
  await client.query('begin');
  try {
    const tables = await listTables(client);
    const identity = await findIdentity(client, id, tables);
    const rows = await eraseRows(client, tables, identity);
    const isKnown = await forgetPerson(client, identity, now);
    if (rows === 0 && !isKnown) {
      throw new CommandError(`nothing is stored about ${id}: nothing was changed`);
    }
    await client.query('commit');
    return {
      output: `${rows} rows now say "${identity.name}".`,
      notice:
        'Notes and other text may still have the name that people wrote. Messages in Slack, exports, backups and calendars ' +
        'elsewhere are not changed: erase the person there too.',
    };
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

interface Identity extends Erased {
  /** The person's records in `people`. */
  readonly records: readonly string[];
}

interface PersonRow {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly slack_user_id: string | null;
  readonly openid_subject: string | null;
}

interface Table {
  readonly name: string;
  /** Of types that can have text. */
  readonly columns: readonly string[];
}

/** All that says who the person of the id is. */
async function findIdentity(client: Client, id: string, tables: readonly Table[]): Promise<Identity> {
  const { rows: people } = tables.some(({ name }) => name === `${SERVICE_SCHEMA}.people`)
    ? await client.query<PersonRow>(
        `with found as (
            select id, merged_into from ${SERVICE_SCHEMA}.people where lower($1) in
              (lower('email:' || email), lower('slack:' || slack_user_id), lower('openid:' || openid_subject))
          )
          select people.* from ${SERVICE_SCHEMA}.people join found on found.id in (people.id, people.merged_into)`,
        [id],
      )
    : { rows: [] };
  const ids = new Set([id]);
  for (const { email, slack_user_id: slackUserId, openid_subject: subject } of people) {
    for (const known of [
      email === null ? null : idOfEmail(email),
      slackUserId === null ? null : idOfSlackUser(slackUserId),
      subject === null ? null : `openid:${subject}`,
    ]) {
      if (known !== null) {
        ids.add(known);
      }
    }
  }
  const words = [...ids].flatMap((each) => (each.startsWith('openid:') ? [] : [each.slice(each.indexOf(':') + 1)]));
  const mark = randomBytes(4).toString('hex');
  const name = `former member ${mark}`;
  const known = { ids: [...ids], words, name, id: `erased:${mark}` };
  const names = new Set(people.map((person) => person.name));
  for (const table of tables) {
    for (const { fields } of await findRows(client, table, known)) {
      for (const each of [...namesBeside(fields, known), ...namesOfTable(table, fields)]) {
        names.add(each);
      }
    }
  }
  return { ...known, names, records: people.map((person) => person.id) };
}

/** Tables that are about people have the name beside an id of another kind. */
function namesOfTable({ name }: Table, fields: JsonObject): string[] {
  const key =
    name === `${BOT_SCHEMA}.people` ? 'name' : /\.(sessions|sign_in_\w+)$/.test(name) ? 'person_name' : 'user_name';
  const value = fields[key];
  return typeof value === 'string' ? [value] : [];
}

async function listTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select format('%I.%I', n.nspname, c.relname) as name, array_agg(quote_ident(a.attname)) as columns
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition
        and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'jsonb'::regtype)
      group by n.nspname, c.relname
      order by n.nspname, c.relname`,
    [[SERVICE_SCHEMA, BOT_SCHEMA]],
  );
  return rows;
}

interface Row {
  /** Where it stands. */
  readonly table: string;
  readonly ctid: string;
  readonly fields: JsonObject;
}

async function findRows(
  client: Client,
  { name, columns }: Table,
  { ids, words }: Pick<Erased, 'ids' | 'words'>,
): Promise<Row[]> {
  const patterns = [...ids, ...words].map((each) => `%${each.replace(/[\\%_]/g, '\\$&')}%`);
  const { rows } = await client.query<Row>(
    `select t.tableoid::regclass::text as table, t.ctid::text as ctid,
        (select jsonb_object_agg(key, value) from jsonb_each(to_jsonb(t)) where quote_ident(key) = any($2)) as fields
      from ${name} t where concat_ws(' ', ${columns.join(', ')}) ilike any($1)`,
    [patterns, columns],
  );
  return rows;
}

/** @returns how many were changed */
async function eraseRows(client: Client, tables: readonly Table[], identity: Identity): Promise<number> {
  let changed = 0;
  for (const table of tables) {
    for (const { table: partition, ctid, fields } of await findRows(client, table, identity)) {
      const after = erase(fields, identity) as JsonObject; // as its argument
      const columns = Object.keys(fields).filter((key) => JSON.stringify(fields[key]) !== JSON.stringify(after[key]));
      if (columns.length > 0) {
        const list = columns.map((column) => client.escapeIdentifier(column)).join(', ');
        await client.query(
          `update ${partition} set (${list}) = (select ${list} from jsonb_populate_record(null::${partition}, $2)) where ctid = $1`,
          [ctid, JSON.stringify(after)],
        );
        changed += 1;
      }
    }
  }
  return changed;
}

/** What would let the person in or wake them. Their record stays, nameless, for the hours that they were on call. @returns whether there was one */
async function forgetPerson(client: Client, { records, id, name }: Identity, now: Date): Promise<boolean> {
  const run = (statement: string, values: readonly unknown[]) => client.query(statement, [...values]);
  await run(`delete from ${SERVICE_SCHEMA}.sessions where user_id = $1`, [id]);
  await run(`delete from ${SERVICE_SCHEMA}.sign_in_links where user_id = $1`, [id]);
  await run(`update ${SERVICE_SCHEMA}.sign_in_events set address = '', user_agent = '' where actor = $1`, [id]);
  await run(`delete from ${SERVICE_SCHEMA}.ways where person_id = any($1)`, [records]);
  await run(`update ${SERVICE_SCHEMA}.page_attempts set address = null, detail = null where person_id = any($1)`, [
    records,
  ]);
  await run(
    `update ${SERVICE_SCHEMA}.people set name = $2, email = null, slack_user_id = null, openid_subject = null, time_zone = null,
      quiet_from = null, quiet_until = null, gone_at = coalesce(gone_at, $3) where id = any($1)`,
    [records, name, now],
  );
  return records.length > 0;
}
