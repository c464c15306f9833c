import { BOT_SCHEMA } from '../src/bot/tables.ts';
import { withConnection } from './scratch-cluster.ts';

/** Makes the cards old, so that consecutive measurements do not cause a storm. */
export async function forgetNewCards(databaseUrl: string): Promise<void> {
  await withConnection(databaseUrl, BOT_SCHEMA, (client) =>
    client.query(`update messages set created_at = created_at - interval '1 hour' where kind = 'card'`),
  );
}
