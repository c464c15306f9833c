import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../../../database/database.ts';
import { higherThan } from '../../core/session.ts';
import type { SignInLink } from '../../core/sign-in-link.ts';
import { serviceMigrations } from '../schema/migrations.ts';
import { personColumns, toPerson } from '../schema/person-columns.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../schema/tables.ts';
import { createToken, hashToken } from '../shared/bearer-token.ts';
import { hasWorkingKey } from '../shared/working-key.ts';
import { endHigherSessions } from './session-store.ts';

export interface SignInLinkStore {
  /**
   * Creates a link. Its role is the person's current one, so their sessions and links with a higher role end.
   *
   * @returns the token, which is not stored
   */
  create(link: SignInLink, now: Date): Promise<string>;
  /** null: unknown, used, expired, or the key that made it does not work any more. */
  find(token: string, now: Date): Promise<SignInLink | null>;
  /** Like `find`, and uses the link up. Of several concurrent calls, only one gets it. */
  use(token: string, now: Date): Promise<SignInLink | null>;
}

/** For commands that work without a running service. It is closed with the database. */
export async function openSignInLinkStore(database: Database): Promise<SignInLinkStore> {
  return createSignInLinkStore(await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations));
}

export function createSignInLinkStore(db: Kysely<ServiceTables>): SignInLinkStore {
  const works = (now: Date) =>
    sql<boolean>`sign_in_links.expires_at > ${now} and ${hasWorkingKey('sign_in_links', now)}`;
  return {
    create: ({ person, role, identity, apiKeyId, returnTo, expiresAt }, now) =>
      db.transaction().execute(async (tx) => {
        await tx.deleteFrom('sign_in_links').where('expires_at', '<=', now).execute();
        await sql`
          delete from sign_in_links where identity = ${identity} and role = any(${higherThan(role)}::text[])
        `.execute(tx);
        await endHigherSessions(tx, { identity, role }, now);
        const token = createToken();
        const row = {
          token_hash: hashToken(token),
          identity,
          ...personColumns(person),
          role,
          api_key_id: apiKeyId,
          return_to: returnTo,
          created_at: now,
          expires_at: expiresAt,
        };
        await tx.insertInto('sign_in_links').values(row).execute();
        return token;
      }),

    async find(token, now) {
      const row = await db
        .selectFrom('sign_in_links')
        .selectAll()
        .where('token_hash', '=', hashToken(token))
        .where(works(now))
        .executeTakeFirst();
      return row === undefined ? null : toLink(row);
    },

    async use(token, now) {
      const row = await db
        .deleteFrom('sign_in_links')
        .where('token_hash', '=', hashToken(token))
        .where(works(now))
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : toLink(row);
    },
  };
}

function toLink(row: Selectable<ServiceTables['sign_in_links']>): SignInLink {
  return {
    person: toPerson(row),
    role: row.role,
    identity: row.identity,
    apiKeyId: row.api_key_id,
    returnTo: row.return_to,
    expiresAt: row.expires_at,
  };
}
