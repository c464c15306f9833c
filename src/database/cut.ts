import type { Socket } from 'node:net';
import type { Client } from 'pg';

/** How long the server may take to say goodbye. */
const GOODBYE_MS = 1_000;

/** Ends a connection: at once if a statement runs in it, and also if its server is frozen. */
export async function cut(client: Client): Promise<void> {
  // The types do not show the connection, but `end` waits for a server that may never answer.
  const { connection } = client as unknown as { readonly connection: { readonly stream: Socket } };
  const timer = setTimeout(() => connection.stream.destroy(), GOODBYE_MS);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}
