import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Those below are often in use; above, systems give ports to whoever listens on port 0, as other tests do meanwhile. */
const PORTS = { from: 20_000, below: 32_768 };

/** A port of loopback for a program that cannot choose one by itself. */
export async function freePort(): Promise<number> {
  const port = randomInt(PORTS.from, PORTS.below);
  const server = createServer().listen(port, '127.0.0.1');
  const isTaken = await once(server, 'listening').then(
    () => false,
    () => true,
  );
  if (isTaken) {
    return freePort();
  }
  server.close();
  await once(server, 'close');
  return port;
}
