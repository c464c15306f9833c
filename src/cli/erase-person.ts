import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { BOT_SCHEMA } from '../bot/tables.ts';
import { idOfEmail, idOfSlackUser, VERIFIED_ID } from '../contract/actor.ts';
import { SERVICE_SCHEMA } from '../service/store/schema/tables.ts';
import type { CommandResult, VerbDeps } from './command-result.ts';
import { type Erased, erase, isAbout, type JsonObject, namesBeside } from './erase-values.ts';
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
    const people = await findRecords(client, id);
    const known = knownOf(id, people);
    const sure = await findRows(client, [...known.ids, ...known.words]);
    if (sure.length === 0) {
      throw new CommandError(`nothing is stored about ${id}: nothing was changed`);
    }
    const mark = randomBytes(4).toString('hex');
    const names = new Set([...people.map(({ name }) => name), ...sure.flatMap((row) => namesIn(row, known))]);
    const ownNames = await findOwnNames(client, names, people);
    const rows = ownNames.size === 0 ? sure : await findRows(client, [...known.ids, ...known.words, ...ownNames]);
    const erased: Erased = { ...known, names, ownNames, name: `former member ${mark}`, id: `erased:${mark}` };
    const changed = await eraseRows(client, rows, erased);
    const records = people.map((person) => person.id);
    await forgetPerson(client, records, erased, now);
    await client.query('commit');
    return {
      output: `${changed} rows now say "${erased.name}".`,
      notice:
        'Notes and other text may still have the name that people wrote. Messages in Slack, exports, backups and calendars ' +
        'elsewhere are not changed: erase the person there too.',
    };
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

interface PersonRow {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly slack_user_id: string | null;
  readonly openid_subject: string | null;
}

/** The person's record, and those that were merged with it. */
async function findRecords(client: Client, id: string): Promise<PersonRow[]> {
  const { rows } = await client.query<PersonRow>(
    `with found as (
        select id, merged_into from ${SERVICE_SCHEMA}.people where lower($1) in
          (lower('email:' || email), lower('slack:' || slack_user_id), lower('openid:' || openid_subject))
      )
      select people.* from ${SERVICE_SCHEMA}.people join found on found.id in (people.id, people.merged_into)`,
    [id],
  );
  return rows;
}

type Known = Pick<Erased, 'ids' | 'words'>;

/** All that says by itself who the person is. A subject of OpenID may be any short text, so it counts only in an id. */
function knownOf(id: string, people: readonly PersonRow[]): Known {
  const ids = people.flatMap(({ email, slack_user_id: slackUserId, openid_subject: subject }) => [
    ...(email === null ? [] : [idOfEmail(email)]),
    ...(slackUserId === null ? [] : [idOfSlackUser(slackUserId)]),
    ...(subject === null ? [] : [`openid:${subject}`]),
  ]);
  const all = [...new Set([id, ...ids])];
  const words = all.flatMap((each) => (each.startsWith('openid:') ? [] : [each.slice(each.indexOf(':') + 1)]));
  return { ids: all, words };
}

interface Row {
  /** The table, or the partition. */
  readonly table: string;
  readonly ctid: string;
  /** Only columns that can have text. */
  readonly fields: JsonObject;
}

/** The names that no other person has whom the service knows. */
async function findOwnNames(client: Client, names: ReadonlySet<string>, people: readonly PersonRow[]) {
  const { rows } = await client.query<{ name: string }>(
    `select name from ${SERVICE_SCHEMA}.people where name = any($1) and id <> all($2)`,
    [[...names], people.map(({ id }) => id)],
  );
  const shared = new Set(rows.map(({ name }) => name));
  return new Set([...names].filter((name) => !shared.has(name)));
}

/** Locks and reads every row of both parts that has one of the texts. */
async function findRows(client: Client, texts: readonly string[]): Promise<Row[]> {
  const { rows: tables } = await client.query<{ name: string; columns: string[] }>(
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
  const patterns = texts.map((each) => `%${each.replace(/[\\%_]/g, '\\$&')}%`);
  const found: Row[] = [];
  for (const { name, columns } of tables) {
    const { rows } = await client.query<Row>(
      `select t.tableoid::regclass::text as table, t.ctid::text as ctid,
          (select jsonb_object_agg(key, value) from jsonb_each(to_jsonb(t)) where quote_ident(key) = any($2)) as fields
        from ${name} t where concat_ws(' ', ${columns.join(', ')}) ilike any($1) for update`,
      [patterns, columns],
    );
    found.push(...rows);
  }
  return found;
}

/**
 * What the person is called there. Tables that are about people have the name beside an id of another kind; what somebody else did may
 * name the person only further in.
 */
function namesIn({ table, fields }: Row, known: Known): string[] {
  if (!isAbout(fields, known)) {
    return namesBeside(fields, known);
  }
  const keys = table === `${BOT_SCHEMA}.people` ? ['name'] : ['person_name', 'user_name'];
  const names = keys.flatMap((key) => fields[key] ?? []).filter((name) => typeof name === 'string');
  return [...namesBeside(fields, known), ...names];
}

/** @returns how many were changed */
async function eraseRows(client: Client, rows: readonly Row[], erased: Erased): Promise<number> {
  let changed = 0;
  for (const { table, ctid, fields } of rows) {
    const after = erase(fields, erased) as JsonObject; // as its argument
    const columns = Object.keys(fields).filter((key) => JSON.stringify(fields[key]) !== JSON.stringify(after[key]));
    if (columns.length > 0) {
      const list = columns.map((column) => client.escapeIdentifier(column)).join(', ');
      await client.query(
        `update ${table} set (${list}) = (select ${list} from jsonb_populate_record(null::${table}, $2)) where ctid = $1`,
        [ctid, JSON.stringify(after)],
      );
      changed += 1;
    }
  }
  return changed;
}

/** Removes what would let the person in or wake them. Their record stays, nameless, for the hours that they were on call. */
async function forgetPerson(
  client: Client,
  records: readonly string[],
  { id, name }: Erased,
  now: Date,
): Promise<void> {
  const run = (statement: string, values: readonly unknown[]) => client.query(statement, [...values]);
  await run(`delete from ${SERVICE_SCHEMA}.sessions where user_id = $1`, [id]);
  await run(`delete from ${SERVICE_SCHEMA}.sign_in_links where user_id = $1`, [id]);
  await run(`update ${SERVICE_SCHEMA}.sign_in_events set address = '', user_agent = '' where actor_id = $1`, [id]);
  await run(`delete from ${SERVICE_SCHEMA}.ways where person_id = any($1)`, [records]);
  await run(`update ${SERVICE_SCHEMA}.page_attempts set address = null, detail = null where person_id = any($1)`, [
    records,
  ]);
  await run(
    `update ${SERVICE_SCHEMA}.people set name = $2, email = null, slack_user_id = null, openid_subject = null, time_zone = null,
      quiet_from = null, quiet_until = null, gone_at = coalesce(gone_at, $3) where id = any($1)`,
    [records, name, now],
  );
}
