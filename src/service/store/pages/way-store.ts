import { type Kysely, type Selectable, sql } from 'kysely';
import type { WayKind } from '../../../contract/waking.ts';
import { CLOCK_NOW, fromNow } from '../../../database/lease.ts';
import { prepared } from '../../../database/prepared.ts';
import { batched } from '../../../runtime/batched.ts';
import { createId } from '../../core/ids.ts';
import type { PersonalWay } from '../../on-call/waking/attempts.ts';
import { hostOf } from '../../on-call/waking/host.ts';
import type { ServiceTables } from '../schema/tables.ts';
import type { WaysTable } from '../schema/waking-columns.ts';
import { hashToken } from '../shared/bearer-token.ts';
import { toStorableJson } from '../shared/json.ts';

export interface StoredWay extends PersonalWay {
  readonly personId: string;
  readonly address: unknown;
}

export interface NewWay {
  readonly personId: string;
  readonly kind: WayKind;
  readonly address: object;
  readonly loudAfterS: number | null;
  readonly quietAfterS: number | null;
}

/** How long a code is valid, and how often it may be tried. */
const CODE_MINUTES = 15;
const CODE_TRIES = 5;

export interface WayStore {
  /** Of one person, the oldest first. */
  listOf(personId: string): Promise<StoredWay[]>;
  /** Of everybody, in the same order. */
  listAll(): Promise<StoredWay[]>;
  find(id: string): Promise<StoredWay | null>;
  /** The way to the same address is used again, as new. */
  add(way: NewWay, now: Date): Promise<StoredWay>;
  remove(id: string): Promise<boolean>;
  /** People who can be woken. */
  listWakeable(): Promise<string[]>;
  keepCode(id: string, code: string): Promise<void>;
  /** @returns false: it is another code, or it was tried too often or too late */
  verify(id: string, code: string, now: Date): Promise<boolean>;
  /** It was shown that the person gets what is sent there. */
  markVerified(id: string, now: Date): Promise<void>;
}

export function createWayStore(db: Kysely<ServiceTables>): WayStore {
  const inOrder = db.selectFrom('ways').selectAll().orderBy('created_at').orderBy('id');
  return {
    listOf: batched(async (personIds) => {
      const { rows } = await sql<Selectable<WaysTable>>`
        ${prepared('ways')} select * from ways where person_id = any(${personIds}::text[]) order by created_at, id
      `.execute(db);
      const ofPerson = Map.groupBy(rows.map(toWay), ({ personId }) => personId);
      return personIds.map((personId) => ofPerson.get(personId) ?? []);
    }),

    listAll: async () => (await inOrder.execute()).map(toWay),

    async find(id) {
      const row = await db.selectFrom('ways').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toWay(row);
    },

    async add({ personId, kind, address, loudAfterS, quietAfterS }, now) {
      const times = { loud_after_s: loudAfterS, quiet_after_s: quietAfterS };
      const fresh = { created_at: now, verified_at: null, last_answered_at: null, unusable_because: null };
      const code = { code_hash: null, code_until: null };
      const row = await db
        .insertInto('ways')
        .values({
          id: createId('way', now),
          person_id: personId,
          kind,
          address: toStorableJson(address),
          ...times,
          ...fresh,
          ...code,
        })
        .onConflict((conflict) =>
          conflict.columns(['person_id', 'kind', 'address']).doUpdateSet({ ...times, unusable_because: null }),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      return toWay(row);
    },

    async remove(id) {
      const { numDeletedRows } = await db.deleteFrom('ways').where('id', '=', id).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },

    async listWakeable() {
      const rows = await db
        .selectFrom('ways')
        .select('person_id')
        .distinct()
        .where('verified_at', 'is not', null)
        .where('unusable_because', 'is', null)
        .orderBy('person_id')
        .execute();
      return rows.map(({ person_id: personId }) => personId);
    },

    async keepCode(id, code) {
      await sql`
        update ways set code_hash = ${hashToken(code)}, code_until = ${fromNow(CODE_MINUTES * 60_000)}, code_tries = 0
        where id = ${id}
      `.execute(db);
    },

    async verify(id, code, now) {
      const { rows } = await sql<{ isRight: boolean }>`
        update ways set code_tries = code_tries + 1,
          verified_at = case when code_hash = ${hashToken(code)} then ${now} else verified_at end,
          last_answered_at = case when code_hash = ${hashToken(code)} then ${now} else last_answered_at end,
          code_until = case when code_hash = ${hashToken(code)} then null else code_until end
        where id = ${id} and code_tries < ${CODE_TRIES} and code_until > ${CLOCK_NOW}
        returning code_hash = ${hashToken(code)} as "isRight"
      `.execute(db);
      return rows[0]?.isRight === true;
    },

    async markVerified(id, now) {
      await db
        .updateTable('ways')
        .set({ verified_at: now })
        .where('id', '=', id)
        .where('verified_at', 'is', null)
        .execute();
    },
  };
}

function toWay(row: Selectable<WaysTable>): StoredWay {
  return {
    id: row.id,
    personId: row.person_id,
    kind: row.kind,
    address: row.address,
    host: hostOf(row.address),
    loudAfterS: row.loud_after_s,
    quietAfterS: row.quiet_after_s,
    verifiedAt: row.verified_at,
    lastAnsweredAt: row.last_answered_at,
    unusableBecause: row.unusable_because,
  };
}
