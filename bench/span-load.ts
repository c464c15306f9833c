import { setTimeout as sleep } from 'node:timers/promises';
import { createTraceBodies, SPANS_PER_REQUEST } from './service/trace-bodies.ts';

const ERROR_SHARE = 0.001;
const REQUEST_MS = 30_000;
const RETRY_MS = 200;

/** Sends spans like a collector, at a steady rate, until it is disposed of. Requests that are refused are repeated. */
export interface SpanLoad extends AsyncDisposable {
  /** Spans in acknowledged requests. */
  accepted(): number;
  /** Answers other than 200 and 503, by status. */
  readonly wrongAnswers: ReadonlyMap<number, number>;
}

/** @param baseUrl where the next request goes, ends in `/v1` */
export function startSpanLoad(options: {
  readonly baseUrl: () => string;
  readonly key: string;
  readonly spansPerSecond: number;
}): SpanLoad {
  const { baseUrl, key, spansPerSecond } = options;
  const wrongAnswers = new Map<number, number>();
  const stop = new AbortController();
  const intervalMs = (SPANS_PER_REQUEST / spansPerSecond) * 1_000;
  const sending = new Set<Promise<void>>();
  let accepted = 0;

  async function send(): Promise<void> {
    const [body] = createTraceBodies(1, ERROR_SHARE, new Date());
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-protobuf',
      'content-encoding': 'gzip',
    };
    while (!stop.signal.aborted) {
      const signal = AbortSignal.timeout(REQUEST_MS);
      const request = { method: 'POST', headers, body: new Uint8Array(body?.gzip ?? []), signal };
      const response = await fetch(`${baseUrl()}/traces`, request).catch(() => null);
      await response?.body?.cancel().catch(() => undefined);
      if (response?.status === 200) {
        accepted += SPANS_PER_REQUEST;
        return;
      }
      if (response !== null && response.status !== 503) {
        wrongAnswers.set(response.status, (wrongAnswers.get(response.status) ?? 0) + 1);
      }
      await sleep(RETRY_MS);
    }
  }

  async function run(): Promise<void> {
    for (let next = performance.now(); !stop.signal.aborted; next += intervalMs) {
      const sent = send().finally(() => sending.delete(sent));
      sending.add(sent);
      await sleep(Math.max(0, next + intervalMs - performance.now()));
    }
    await Promise.all(sending);
  }

  const running = run();
  return {
    accepted: () => accepted,
    wrongAnswers,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
