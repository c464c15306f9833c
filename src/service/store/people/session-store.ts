import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Actor } from '../../../contract/actor.ts';
import { subDays, subHours, subMinutes } from '../../../runtime/dates.ts';
import { createId } from '../../core/ids.ts';
import { auditActor, higherThan, IDLE_HOURS, SESSION_DAYS, type Session, type SignIn } from '../../core/session.ts';
import type { SignInEvent } from '../../core/sign-in-event.ts';
import { notifyReaders } from '../events/event-store.ts';
import type { SessionsTable } from '../schema/access-columns.ts';
import { actorColumns, type PersonColumns, personColumns, toPerson } from '../schema/person-columns.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { createToken, hashToken } from '../shared/bearer-token.ts';
import { hasWorkingKey } from '../shared/working-key.ts';

export interface SessionStore {
  /** @returns the token of the cookie, which is not stored */
  create(signIn: SignIn, now: Date): Promise<string>;
  /** Finds the session of a token and records its use. null: unknown, ended, or its API key does not work any more. */
  find(token: string, now: Date): Promise<Session | null>;
  /** The sessions that have not ended, last used first. */
  list(now: Date): Promise<Session[]>;
  /** Whether there was one to end. */
  end(id: string, ending: Ending): Promise<boolean>;
  /** Ends all sessions of a person. @returns their number */
  endAllOf(identity: string, ending: Ending): Promise<number>;
  /** Newest first. */
  history(limit: number): Promise<SignInEvent[]>;
}

/** How and by whom sessions are ended. */
export interface Ending {
  readonly type: 'signed-out' | 'ended';
  readonly by: Actor;
  /** Where the request came from. */
  readonly address: string;
  readonly userAgent: string;
  readonly now: Date;
}

type Tx = Transaction<ServiceTables>;

/** Whether a row of `sessions` has not ended. */
export function isAlive(now: Date): RawBuilder<boolean> {
  return sql<boolean>`
    sessions.created_at > ${subDays(now, SESSION_DAYS)} and sessions.last_seen_at > ${subHours(now, IDLE_HOURS)}
    and ${hasWorkingKey('sessions', now)}`;
}

export function createSessionStore(db: Kysely<ServiceTables>): SessionStore {
  const end = (column: 'id' | 'identity', value: string, ending: Ending) =>
    db.transaction().execute(async (tx) => {
      const rows = await tx.deleteFrom('sessions').where(column, '=', value).returningAll().execute();
      for (const row of rows) {
        await record(tx, { ...row, ...ending, user_agent: ending.userAgent }, ending.now);
      }
      await notifyReaders(tx); // their streams end at once
      return rows.length;
    });

  return {
    create: (signIn, now) =>
      db.transaction().execute(async (tx) => {
        await sql`delete from sessions where not (${isAlive(now)})`.execute(tx);
        const token = createToken();
        const row = {
          id: createId('ses', now),
          token_hash: hashToken(token),
          identity: signIn.identity,
          ...personColumns(signIn.person),
          role: signIn.role,
          method: signIn.method,
          api_key_id: signIn.apiKeyId,
          granted_by: [...signIn.grantedBy],
          address: signIn.address,
          user_agent: signIn.userAgent,
          created_at: now,
          last_seen_at: now,
        };
        await endSessions(tx, signIn.identity, sql<boolean>`role <> ${signIn.role}`, signIn, now);
        await tx.insertInto('sessions').values(row).execute();
        await record(tx, { ...row, type: 'signed-in', by: auditActor(signIn.person) }, now);
        return token;
      }),

    async find(token, now) {
      const row = await db
        .selectFrom('sessions')
        .selectAll()
        .where('token_hash', '=', hashToken(token))
        .where(isAlive(now))
        .executeTakeFirst();
      if (row === undefined) {
        return null;
      }
      if (row.last_seen_at <= subMinutes(now, 1)) {
        await db.updateTable('sessions').set({ last_seen_at: now }).where('id', '=', row.id).execute();
      }
      return toSession(row);
    },

    async list(now) {
      const rows = await db
        .selectFrom('sessions')
        .selectAll()
        .where(isAlive(now))
        .orderBy('last_seen_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toSession);
    },

    end: async (id, ending) => (await end('id', id, ending)) > 0,
    endAllOf: (identity, ending) => end('identity', identity, ending),

    async history(limit) {
      const { rows } = await sql<SignInEvent>`
        select occurred_at as at, type, person_name as person, role, method, actor as by, address,
          user_agent as "userAgent"
        from sign_in_events order by id desc limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}

/** Ends a person's sessions with a higher role than the given one, and their event streams. */
export function endHigherSessions(tx: Tx, { identity, role }: Pick<SignIn, 'identity' | 'role'>, now: Date) {
  const isHigher = sql<boolean>`role = any(${higherThan(role)}::text[])`;
  return endSessions(tx, identity, isHigher, { address: 'unknown', userAgent: 'unknown' }, now);
}

async function endSessions(
  tx: Tx,
  identity: string,
  isEnded: RawBuilder<boolean>,
  { address, userAgent }: Pick<SignIn, 'address' | 'userAgent'>,
  now: Date,
): Promise<void> {
  const ended = await tx
    .deleteFrom('sessions')
    .where('identity', '=', identity)
    .where(isEnded)
    .returningAll()
    .execute();
  for (const row of ended) {
    await record(tx, { ...row, type: 'ended', by: auditActor(toPerson(row)), address, user_agent: userAgent }, now);
  }
  if (ended.length > 0) {
    await notifyReaders(tx);
  }
}

type Entry = Pick<SignInEvent, 'type'> &
  Pick<Ending, 'by'> &
  PersonColumns &
  Pick<SessionsTable, 'role' | 'method' | 'address' | 'user_agent'>;

async function record(tx: Tx, { type, by, role, method, address, user_agent, ...columns }: Entry, now: Date) {
  const person = toPerson(columns);
  const [person_name, user_id] = [auditActor(person).by, person.userId];
  await tx
    .insertInto('sign_in_events')
    .values({ type, ...actorColumns(by), person_name, user_id, role, method, address, user_agent, occurred_at: now })
    .execute();
}

function toSession(row: SessionsTable): Session {
  return {
    id: row.id,
    person: toPerson(row),
    role: row.role,
    method: row.method,
    identity: row.identity,
    apiKeyId: row.api_key_id,
    grantedBy: row.granted_by,
    address: row.address,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
  };
}
