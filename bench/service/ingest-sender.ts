import { Pool } from 'undici';
import { createTraceBodies, SPANS_PER_REQUEST, type TraceBody } from './trace-bodies.ts';

/** A separate program, so that sending affects the measured programs only through the load of the machine. */

/** More spans than the service remembers for deduplication, so that repeated bodies count as new. */
const BODIES = 64;

export interface SendOrder {
  /** Address for OTLP/HTTP traces. */
  readonly url: string;
  readonly key: string;
  readonly errorShare: number;
  readonly connections: number;
  readonly milliseconds: number;
}

export interface SendResult {
  readonly spans: number;
  /** Failed spans in accepted requests. */
  readonly failures: number;
  /** Requests with a response other than 200. */
  readonly refused: number;
  readonly seconds: number;
}

let bodies: { readonly errorShare: number; readonly all: readonly TraceBody[] } | null = null;

async function send(order: SendOrder): Promise<SendResult> {
  if (bodies?.errorShare !== order.errorShare) {
    bodies = { errorShare: order.errorShare, all: createTraceBodies(BODIES, order.errorShare, new Date()) };
  }
  const { all } = bodies;
  const { origin, pathname } = new URL(order.url);
  const pool = new Pool(origin, { connections: order.connections });
  const result = { spans: 0, failures: 0, refused: 0 };
  const start = performance.now();
  let next = 0;

  async function sendOn(): Promise<void> {
    while (performance.now() - start < order.milliseconds) {
      const body = all[next % all.length];
      next += 1;
      const answer = await pool.request({
        path: pathname,
        method: 'POST',
        headers: {
          'content-type': 'application/x-protobuf',
          'content-encoding': 'gzip',
          authorization: `Bearer ${order.key}`,
        },
        body: body?.gzip ?? null,
      });
      await answer.body.dump();
      const isAccepted = answer.statusCode === 200;
      result.spans += isAccepted ? SPANS_PER_REQUEST : 0;
      result.failures += isAccepted ? (body?.failures ?? 0) : 0;
      result.refused += isAccepted ? 0 : 1;
    }
  }

  await Promise.all(Array.from({ length: order.connections }, sendOn));
  const seconds = (performance.now() - start) / 1_000;
  await pool.close();
  return { ...result, seconds };
}

process.on('message', (order: SendOrder) => {
  send(order).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exitCode = 1;
      process.disconnect();
    },
  );
});
