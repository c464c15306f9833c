import { type Kysely, sql } from 'kysely';
import type { Integration } from '../../core/integration.ts';
import type { IntegrationChange, IntegrationChangeType } from '../../core/integration-change.ts';
import type { KeyActor } from '../../core/session.ts';
import { actorColumns } from '../schema/person-columns.ts';
import type { ServiceTables } from '../schema/tables.ts';

/** @param db the transaction of the change */
export async function recordIntegrationChange(
  db: Kysely<ServiceTables>,
  type: IntegrationChangeType,
  { id, type: integrationType, name }: Pick<Integration, 'id' | 'type' | 'name'>,
  by: KeyActor,
  at: Date,
): Promise<void> {
  await db
    .insertInto('integration_changes')
    .values({
      type,
      integration_id: id,
      integration_type: integrationType,
      integration_name: name,
      ...actorColumns(by),
      occurred_at: at,
    })
    .execute();
}

/** Newest first. Rotations of their ingest keys come from the history of the keys. */
export async function listIntegrationChanges(db: Kysely<ServiceTables>, limit: number): Promise<IntegrationChange[]> {
  const { rows } = await sql<IntegrationChange>`
    select event.at, event.type, event."integrationId", event.name, coalesce(who.name, event.actor) as by,
      integrations.id is null as "isDeleted"
    from (
      (
        select id, occurred_at as at, type, integration_id as "integrationId",
          coalesce(integration_name, integration_type) as name, actor
        from integration_changes order by id desc limit ${limit}
      ) union all (
        select history.id, occurred_at, 'key-rotated', key.integration_id, key.name, actor
        from api_key_events history join api_keys key on key.id = history.key_id
        where history.type = 'rotated' and key.integration_id is not null
        order by history.id desc limit ${limit}
      )
    ) event
      left join integrations on integrations.id = event."integrationId"
      left join api_keys who on who.id = event.actor
    order by event.at desc, event.id desc limit ${limit}
  `.execute(db);
  return rows;
}
