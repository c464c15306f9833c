import type { Json } from './http-client.ts';

interface Journey {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: Json | null;
}

const BROWSE: Journey = { method: 'GET', path: '/', body: null };
const BUY: Journey = { method: 'POST', path: '/buy', body: { sku: 'bell', quantity: 1, amountCents: 4200 } };
const RETURN: Journey = { method: 'POST', path: '/return', body: { sku: 'bell', quantity: 1, amountCents: 4200 } };

/** Run in turn, so that every path is used soon at any rate. */
const JOURNEYS = [BUY, BROWSE, BUY, RETURN, BROWSE];

const MOST_IN_FLIGHT = 50;
const PATIENCE_MS = 5000;

/**
 * Sends customers to the shop. A customer leaves after an error. Disposing waits for the remaining journeys.
 *
 * @param rate journeys per second
 */
export function startCustomers(webUrl: string, rate: number): AsyncDisposable {
  const inFlight = new Set<Promise<void>>();
  let sent = 0;
  const timer = setInterval(() => {
    const journey = JOURNEYS[sent % JOURNEYS.length];
    if (journey === undefined || inFlight.size >= MOST_IN_FLIGHT) {
      return;
    }
    sent += 1;
    const done = walk(webUrl, journey).finally(() => inFlight.delete(done));
    inFlight.add(done);
  }, 1000 / rate);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await Promise.all(inFlight);
    },
  };
}

async function walk(webUrl: string, { method, path, body }: Journey): Promise<void> {
  try {
    const response = await fetch(new URL(path, webUrl), {
      method,
      headers: { 'content-type': 'application/json' },
      body: body === null ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await response.arrayBuffer();
  } catch {
    // The customer leaves. The shop's telemetry reports the error.
  }
}
