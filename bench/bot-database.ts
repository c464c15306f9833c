import { BOT_SCHEMA } from '../src/bot/store/tables.ts';
import { EDIT_EVERY_MS } from '../src/bot/storm/storm-kind.ts';
import { withConnection } from './scratch-cluster.ts';

/** Makes the cards old, so that consecutive measurements do not cause a storm. */
export async function forgetNewCards(databaseUrl: string): Promise<void> {
  await withConnection(databaseUrl, BOT_SCHEMA, (client) =>
    client.query(`update messages set created_at = created_at - interval '1 hour' where kind = 'card'`),
  );
}

/** The root services of the incidents in storm messages. */
export async function servicesInStorms(databaseUrl: string): Promise<string[]> {
  return withConnection(databaseUrl, BOT_SCHEMA, async (client) => {
    const { rows } = await client.query<{ service: string }>(
      `select incidents.root_service as service
      from messages as card join messages as storm on storm.id = card.storm_id
      join incidents on incidents.incident_id = card.subject
      where card.kind = 'card' and storm.ts is not null
        and card.created_at < storm.retry_at - $1 * interval '1 millisecond'`,
      [EDIT_EVERY_MS],
    );
    return rows.map(({ service }) => service);
  });
}
