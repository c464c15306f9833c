import { STORM_EDIT_MS } from '../src/bot/messages/board.ts';
import { BOT_SCHEMA } from '../src/bot/store/tables.ts';
import { withConnection } from './scratch-cluster.ts';

/** So that what is measured one after the other does not add up to a storm: the cards there are count as old. */
export async function forgetNewCards(databaseUrl: string): Promise<void> {
  await withConnection(databaseUrl, BOT_SCHEMA, (client) =>
    client.query(`update cards set created_at = created_at - interval '1 hour'`),
  );
}

/** The root services of the incidents that the message of a storm in the channel stands for, as it was last written. */
export async function servicesInStorms(databaseUrl: string): Promise<string[]> {
  return withConnection(databaseUrl, BOT_SCHEMA, async (client) => {
    const { rows } = await client.query<{ service: string }>(
      `select i.snapshot->>'root_service' as service
      from cards c join storms s on s.id = c.storm_id join incidents i using (incident_id)
      where s.ts is not null and c.created_at < s.next_attempt_at - $1 * interval '1 millisecond'`,
      [STORM_EDIT_MS],
    );
    return rows.map(({ service }) => service);
  });
}
