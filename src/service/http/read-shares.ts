import { TooManyReadsError } from '../core/errors.ts';

/** Concurrent list reads per API key. Fewer than the connections for reading, so that other keys get one. */
const RUNNING = 1;
/** List reads per API key that may wait for the running ones. */
export const WAITING_READS = 16;
const LONGEST_WAIT_MS = 10_000;

/** Limits list reads per API key, because they can be expensive. A key with many reads does not delay other keys. */
export interface ReadShares {
  /** @throws {TooManyReadsError} */
  run<Result>(caller: string, read: () => Promise<Result>): Promise<Result>;
}

/** Resolves when a running read hands its slot over. @throws {TooManyReadsError} */
async function takeTurn(waiting: (() => void)[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    waiting.splice(waiting.indexOf(resolve), 1);
    reject(new TooManyReadsError(RUNNING + WAITING_READS));
  }, LONGEST_WAIT_MS);
  waiting.push(resolve);
  await promise.finally(() => clearTimeout(timer));
}

export function createReadShares(): ReadShares {
  const byCaller = new Map<string, { running: number; readonly waiting: (() => void)[] }>();

  return {
    async run(caller, read) {
      const share = byCaller.get(caller) ?? { running: 0, waiting: [] };
      byCaller.set(caller, share);
      if (share.running >= RUNNING) {
        if (share.waiting.length >= WAITING_READS) {
          throw new TooManyReadsError(RUNNING + WAITING_READS);
        }
        await takeTurn(share.waiting);
      } else {
        share.running += 1;
      }
      try {
        return await read();
      } finally {
        const next = share.waiting.shift();
        if (next !== undefined) {
          next();
        } else {
          share.running -= 1;
          if (share.running === 0) {
            byCaller.delete(caller);
          }
        }
      }
    },
  };
}
