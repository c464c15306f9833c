import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { prepared } from '../../../database/prepared.ts';
import { batched } from '../../../runtime/batched.ts';
import { createId } from '../../core/ids.ts';
import { type Identity, identityOf, type KnownPerson, type QuietHours } from '../../core/known-person.ts';
import type { PeopleTable } from '../schema/on-call-columns.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { maySame, mergePeople } from './merge-people.ts';

/** What is told of a person. Absent fields stay as they are. */
export interface PersonFacts extends Partial<Identity> {
  readonly name: string;
  readonly timeZone?: string | null | undefined;
  readonly isGone?: boolean | undefined;
  readonly quietHours?: QuietHours | null | undefined;
}

export interface PeopleStore {
  /** @param reference id of a person, or an id of an `Actor`: `email:ana@example.com` */
  readPerson(reference: string): Promise<KnownPerson | null>;
  /** By id. Unknown ids are left out. */
  findByIds(ids: readonly string[]): Promise<ReadonlyMap<string, KnownPerson>>;
  /** Those who are here and those who left, by name. */
  listPeople(): Promise<KnownPerson[]>;
  /**
   * Finds the person of an identity and keeps what is told of them, or makes a new one. Whom the caller knows to have the
   * address or the Slack id of another record is that person, and the records become one; unless something else says that
   * they are two: then what another person is known by stays theirs.
   *
   * @param reference as for `readPerson`
   * @returns null: nobody has this id, whatever is told of them
   */
  savePerson(reference: string, facts: PersonFacts, now: Date): Promise<KnownPerson | null>;
}

export function createPeopleStore(db: Kysely<ServiceTables>): PeopleStore {
  const readById = batched((ids: readonly string[]) => findAllById(db, ids));
  return {
    async readPerson(reference) {
      const identity = identityOf(reference);
      return identity === null ? readById(reference) : findByFacts(db, identity);
    },

    async findByIds(ids) {
      if (ids.length === 0) {
        return new Map();
      }
      const rows = await db.selectFrom('people').selectAll().where('id', 'in', ids).execute();
      return new Map(rows.map((row) => [row.id, toKnownPerson(row)]));
    },

    async listPeople() {
      const { rows } = await sql<Selectable<PeopleTable>>`
        select * from people where merged_into is null order by lower(name), id
      `.execute(db);
      return rows.map(toKnownPerson);
    },

    savePerson: (reference, facts, now) =>
      db.transaction().execute(async (tx) => {
        // Two who tell of the same person at once make one.
        await sql`lock table people in share row exclusive mode`.execute(tx);
        const identity = identityOf(reference);
        if (identity === null && (await find(tx, reference)) === null) {
          return null;
        }
        const known = await findOne(tx, [reference, facts]);
        const told = { ...facts, ...onlyKnown(identity) };
        return known === null ? create(tx, told, now) : update(tx, known, told, now);
      }),
  };
}

type Reader = Kysely<ServiceTables>;
type Tx = Transaction<ServiceTables>;

async function find(db: Reader, reference: string): Promise<KnownPerson | null> {
  const identity = identityOf(reference);
  if (identity !== null) {
    return findByFacts(db, identity);
  }
  return (await findAllById(db, [reference]))[0] ?? null;
}

/** A record that became part of another one stands for it. */
async function findAllById(db: Reader, ids: readonly string[]): Promise<(KnownPerson | null)[]> {
  const { rows } = await sql<Selectable<PeopleTable> & { readonly asked: string }>`
    ${prepared('people')} select people.*, told.id as asked
    from people as told join people on people.id = coalesce(told.merged_into, told.id) where told.id = any(${ids}::text[])
  `.execute(db);
  const found = new Map(rows.map((row) => [row.asked, toKnownPerson(row)]));
  return ids.map((id) => found.get(id) ?? null);
}

/** The person whom all of this is told of. Of two records that are the same person, the older one stays. */
async function findOne(tx: Tx, [reference, facts]: [string, Partial<Identity>]): Promise<KnownPerson | null> {
  const { email = null, slackUserId = null, openIdSubject = null } = facts;
  let found = await find(tx, reference);
  for (const told of [{ slackUserId }, { email }, { openIdSubject }]) {
    const other = await findByFacts(tx, told);
    if (found === null || other === null || other.id === found.id) {
      found ??= other;
    } else if (maySame(found, other)) {
      const [into, from] = found.createdAt <= other.createdAt ? [found, other] : [other, found];
      await mergePeople(tx, into, from);
      found = await find(tx, into.id);
    }
  }
  return found;
}

/** A Slack id says it best, an address next. */
async function findByFacts(db: Reader, facts: Partial<Identity>): Promise<KnownPerson | null> {
  const columns = [
    ['slack_user_id', facts.slackUserId],
    ['email', facts.email],
    ['openid_subject', facts.openIdSubject],
  ] as const;
  for (const [column, value] of columns) {
    const row = value && (await db.selectFrom('people').selectAll().where(column, '=', value).executeTakeFirst());
    if (row) {
      return toKnownPerson(row);
    }
  }
  return null;
}

async function create(tx: Tx, facts: PersonFacts, now: Date): Promise<KnownPerson> {
  const row = {
    id: createId('person', now),
    name: facts.name,
    email: facts.email ?? null,
    slack_user_id: facts.slackUserId ?? null,
    openid_subject: facts.openIdSubject ?? null,
    time_zone: facts.timeZone ?? null,
    quiet_from: facts.quietHours?.from ?? null,
    quiet_until: facts.quietHours?.until ?? null,
    created_at: now,
    gone_at: facts.isGone === true ? now : null,
    merged_into: null,
  };
  await tx.insertInto('people').values(row).execute();
  return toKnownPerson(row);
}

async function update(tx: Tx, known: KnownPerson, facts: PersonFacts, now: Date): Promise<KnownPerson> {
  const isFree = async (told: Partial<Identity>) => {
    const owner = await findByFacts(tx, told);
    return owner === null || owner.id === known.id;
  };
  const { email, slackUserId, openIdSubject } = facts;
  const row = await tx
    .updateTable('people')
    .set({
      name: facts.name,
      ...(email && (await isFree({ email })) && { email }),
      ...(slackUserId && (await isFree({ slackUserId })) && { slack_user_id: slackUserId }),
      ...(openIdSubject && (await isFree({ openIdSubject })) && { openid_subject: openIdSubject }),
      ...(facts.timeZone !== undefined && { time_zone: facts.timeZone }),
      ...(facts.quietHours !== undefined && {
        quiet_from: facts.quietHours?.from ?? null,
        quiet_until: facts.quietHours?.until ?? null,
      }),
      ...(facts.isGone !== undefined && { gone_at: facts.isGone ? (known.goneAt ?? now) : null }),
    })
    .where('id', '=', known.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return toKnownPerson(row);
}

function onlyKnown(identity: Identity | null): Partial<Identity> {
  return Object.fromEntries(Object.entries(identity ?? {}).filter(([, value]) => value !== null));
}

function toKnownPerson(row: Selectable<PeopleTable>): KnownPerson {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    slackUserId: row.slack_user_id,
    openIdSubject: row.openid_subject,
    timeZone: row.time_zone,
    quietHours:
      row.quiet_from === null || row.quiet_until === null ? null : { from: row.quiet_from, until: row.quiet_until },
    createdAt: row.created_at,
    goneAt: row.gone_at,
  };
}
