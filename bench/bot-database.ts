import { Client } from 'pg';

/** Runs `work` with a connection whose search path is the bot's schema. */
export async function withBotTables<T>(databaseUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: databaseUrl, options: '-c search_path=bot' });
  client.on('error', () => undefined); // who uses it is told
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** So that what is measured one after the other does not add up to a storm: the cards there are count as old. */
export async function forgetNewCards(databaseUrl: string): Promise<void> {
  await withBotTables(databaseUrl, (client) =>
    client.query(`update cards set created_at = created_at - interval '1 hour'`),
  );
}

/** The root services of the incidents for which the message of a storm stands in the channel. */
export async function servicesInStorms(databaseUrl: string): Promise<string[]> {
  return withBotTables(databaseUrl, async (client) => {
    const { rows } = await client.query<{ service: string }>(
      `select i.snapshot->>'root_service' as service
      from cards c join storms s on s.id = c.storm_id join incidents i using (incident_id)
      where s.ts is not null`,
    );
    return rows.map(({ service }) => service);
  });
}
