import { isStorageUnavailable } from '../store/shared/unavailable.ts';

export interface GroupCommit<Batch, Result> {
  /**
   * Resolves once the parts of a batch are committed, in their order, to what the commit of each returned.
   *
   * @param sender takes turns with the others that wait
   * @throws {QueueFullError} nothing was kept
   */
  add(sender: string, parts: readonly Batch[]): Promise<readonly Result[]>;
  /** Total size of the batches that wait for the running commit. */
  waitingSize(): number;
  /** Refuses new batches, and resolves when all accepted ones are committed or rejected. */
  close(): Promise<void>;
}

export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

interface Waiting<Batch, Result> {
  readonly batch: Batch;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs one commit at a time. Batches that arrive meanwhile form the next group. Senders take turns: a group has one part of
 * each, then a second one, until it costs enough, so that a sender with much to store waits for itself and delays no other.
 * When a group fails, each part is committed alone, so that a bad one does not fail the others.
 *
 * @param options.maxWaiting maximum total size of waiting batches. Of a sender as much may wait as there is room left, as in
 * `createBytesInFlight`, so that none keeps out the others; a larger batch may still wait alone
 * @param options.maxCost no part is added to a group that costs as much
 */
export function createGroupCommit<Batch, Result>(options: {
  readonly commit: (batches: readonly Batch[]) => Promise<Result>;
  readonly sizeOf: (batch: Batch) => number;
  readonly maxWaiting: number;
  readonly costOf: (batch: Batch) => number;
  readonly maxCost: number;
}): GroupCommit<Batch, Result> {
  /** By sender, the one whose turn is next first. */
  const waiting = new Map<string, Waiting<Batch, Result>[]>();
  let waitingSize = 0;
  let running: Promise<void> | null = null;
  let closed = false;

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      await commitGroup(takeGroup(), options.commit);
    }
    running = null;
  }

  function takeGroup(): Waiting<Batch, Result>[] {
    const group: Waiting<Batch, Result>[] = [];
    let cost = 0;
    for (let [next] = waiting; next !== undefined && (group.length === 0 || cost < options.maxCost); [next] = waiting) {
      const [sender, [part, ...rest]] = next;
      waiting.delete(sender);
      if (rest.length > 0) {
        waiting.set(sender, rest);
      }
      if (part !== undefined) {
        group.push(part);
        cost += options.costOf(part.batch);
        waitingSize -= options.sizeOf(part.batch);
      }
    }
    return group;
  }

  return {
    async add(sender, parts) {
      const size = parts.reduce((sum, part) => sum + options.sizeOf(part), 0);
      const own = (waiting.get(sender) ?? []).reduce((sum, { batch }) => sum + options.sizeOf(batch), 0);
      if (closed || (waitingSize > 0 && own + size > options.maxWaiting - waitingSize)) {
        throw new QueueFullError(closed ? 'shutting down' : 'more signals wait than can be stored now');
      }
      const added = parts.map((batch) => ({ batch, ...Promise.withResolvers<Result>() }));
      waiting.set(sender, [...(waiting.get(sender) ?? []), ...added]);
      waitingSize += size;
      running ??= run();
      return Promise.all(added.map(({ promise }) => promise));
    },

    waitingSize: () => waitingSize,

    async close() {
      closed = true;
      await running;
    },
  };
}

async function commitGroup<Batch, Result>(
  group: readonly Waiting<Batch, Result>[],
  commit: (batches: readonly Batch[]) => Promise<Result>,
): Promise<void> {
  try {
    const result = await commit(group.map(({ batch }) => batch));
    for (const { resolve } of group) {
      resolve(result);
    }
  } catch (error) {
    if (group.length === 1 || isStorageUnavailable(error)) {
      for (const { reject } of group) {
        reject(error);
      }
      return;
    }
    for (const one of group) {
      await commitGroup([one], commit);
    }
  }
}
