import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from './seeded-random.ts';

/** Share that is delayed, and for how long at most. Few are delayed long. */
const QUERIES = { share: 0.15, ms: 60, fewMs: 400 };
const REQUESTS = { share: 0.3, ms: 120, fewMs: 1_000 };
const FEW = 0.1;

/**
 * `JITTER=1 npx vitest run <file>` delays some queries and requests of tests, so that those show which depend on what comes first.
 * Other numbers delay others.
 */
const seed = Number(process.env.JITTER ?? 0);
const isJittered = Symbol.for('tocsin.test.jittered');
if (seed !== 0 && !(isJittered in globalThis)) {
  Object.assign(globalThis, { [isJittered]: true }); // files of one worker share `Client` and `fetch`
  const { Client } = await import('pg');
  const random = seededRandom(seed);
  const wait = ({ ms, fewMs }: typeof QUERIES) => delay(random() * (random() < FEW ? fewMs : ms));

  const queries = Client.prototype as { query: (...args: unknown[]) => unknown };
  const query = queries.query;
  queries.query = function (this: unknown, ...args) {
    const run = () => query.apply(this, args);
    // Those with a callback or a cursor must be queued at once.
    const isPlain = args.every((each) => typeof each !== 'function' && !(each instanceof Object && 'submit' in each));
    return isPlain && random() < QUERIES.share ? wait(QUERIES).then(run) : run();
  };

  const { fetch } = globalThis;
  globalThis.fetch = async (...args) => {
    await (random() < REQUESTS.share && wait(REQUESTS));
    return fetch(...args);
  };
}
