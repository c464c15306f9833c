import { type Kysely, sql } from 'kysely';
import type { KeyEvent } from '../../core/key-event.ts';
import type { KeyActor } from '../../core/session.ts';
import { actorColumns } from '../schema/person-columns.ts';
import type { ServiceTables } from '../schema/tables.ts';

/** @param db the transaction of the change */
export async function recordKeyEvent(
  db: Kysely<ServiceTables>,
  event: Pick<KeyEvent, 'type' | 'keyId' | 'at'> & {
    readonly by: KeyActor;
    readonly successorId?: string;
  },
): Promise<void> {
  const { keyId, type, by, successorId = null, at } = event;
  await db
    .insertInto('api_key_events')
    .values({ key_id: keyId, type, ...actorColumns(by), successor_id: successorId, occurred_at: at })
    .execute();
}

/** Newest first. */
export async function listKeyEvents(db: Kysely<ServiceTables>, limit: number): Promise<KeyEvent[]> {
  const { rows } = await sql<KeyEvent>`
    select event.occurred_at as at, event.type, event.key_id as "keyId", key.name as "keyName",
      coalesce(who.name, event.actor) as by, event.successor_id as "successorId"
    from api_key_events event
      left join api_keys key on key.id = event.key_id
      left join api_keys who on who.id = event.actor
    order by event.id desc limit ${limit}
  `.execute(db);
  return rows;
}
