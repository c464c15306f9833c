import { isStorageUnavailable } from '../store/shared/unavailable.ts';

export interface GroupCommit<Batch> {
  /** Resolves once the batch is committed. @throws {QueueFullError} nothing was kept */
  add(batch: Batch): Promise<void>;
  /** Total size of the batches that wait for the running commit. */
  waitingSize(): number;
  /** Refuses new batches, and resolves when all accepted ones are committed or rejected. */
  close(): Promise<void>;
}

export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

interface Waiting<Batch> {
  readonly batch: Batch;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs one commit at a time. Batches that arrive meanwhile form the next group. When a group fails, each batch is
 * committed alone, so that a bad batch does not fail the others.
 *
 * @param options.maxWaiting maximum total size of waiting batches; a larger batch may still wait alone
 */
export function createGroupCommit<Batch>(options: {
  readonly commit: (batches: readonly Batch[]) => Promise<void>;
  readonly sizeOf: (batch: Batch) => number;
  readonly maxWaiting: number;
}): GroupCommit<Batch> {
  let waiting: Waiting<Batch>[] = [];
  let waitingSize = 0;
  let running: Promise<void> | null = null;
  let closed = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      waitingSize = 0;
      await commitGroup(group, options.commit);
    }
    running = null;
  }

  return {
    add(batch) {
      const size = options.sizeOf(batch);
      if (closed || (waitingSize > 0 && waitingSize + size > options.maxWaiting)) {
        return Promise.reject(
          new QueueFullError(closed ? 'shutting down' : 'more signals wait than can be stored now'),
        );
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ batch, resolve, reject });
      waitingSize += size;
      running ??= run();
      return promise;
    },

    waitingSize: () => waitingSize,

    async close() {
      closed = true;
      await running;
    },
  };
}

async function commitGroup<Batch>(
  group: readonly Waiting<Batch>[],
  commit: (batches: readonly Batch[]) => Promise<void>,
): Promise<void> {
  try {
    await commit(group.map(({ batch }) => batch));
    for (const { resolve } of group) {
      resolve();
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
