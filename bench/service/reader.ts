import { Client as HttpClient } from 'undici';
import { median, quantile } from '../numbers.ts';
import type { ServiceProcess } from '../service-process.ts';

/** Reads the API over one connection, one request at a time. */
export interface Reader extends AsyncDisposable {
  /** Resolves when the whole response has been read. */
  read(path: string): Promise<void>;
}

export function createReader({ baseUrl, key }: ServiceProcess): Reader {
  const { origin, pathname } = new URL(baseUrl);
  const client = new HttpClient(origin);
  return {
    async read(path) {
      const headers = { authorization: `Bearer ${key}` };
      const { statusCode, body } = await client.request({ method: 'GET', path: pathname + path, headers });
      const answer = await body.text();
      if (statusCode !== 200) {
        throw new Error(`GET ${path} answered ${statusCode}: ${answer}`);
      }
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

const WARM_UP = 5;

/**
 * Runs `one` and `other` in turn, so that both have the same noise. Times are in milliseconds.
 *
 * @param limitMs limit for both together
 */
export async function compare(
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
  { times, limitMs }: { readonly times: number; readonly limitMs: number },
): Promise<[Latency, Latency]> {
  const taken: [number[], number[]] = [[], []];
  const start = performance.now();
  for (let time = -WARM_UP; time < times && performance.now() - start < limitMs; time += 1) {
    const ones = await clock(one);
    const others = await clock(other);
    if (time >= 0) {
      taken[0].push(ones);
      taken[1].push(others);
    }
  }
  return [summarise(taken[0]), summarise(taken[1])];
}

async function clock(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function summarise(values: readonly number[]): Latency {
  return { p50: median(values), p99: quantile(values, 0.99) };
}

/** Of the process, as `/metrics` has it. */
export async function processorSeconds(baseUrl: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', baseUrl))).text();
  return Number(/^process_cpu_seconds_total ([\d.e+-]+)/m.exec(text)?.[1]);
}
