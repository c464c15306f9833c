import type { Kysely } from 'kysely';
import {
  announce,
  findWork,
  LEASE_MS,
  leave,
  type PartitionWork,
  releaseLeases,
  takeLeases,
} from '../store/log/correlation-lease.ts';
import type { ServiceTables } from '../store/schema/tables.ts';

/** The leases of this process on partitions of the log. */
export interface Leases {
  /**
   * Takes and renews as many leases as are due to this process: all of them while it is alone, and otherwise its share. What
   * it has beyond that it gives up.
   *
   * @returns partitions that it has
   */
  hold(): Promise<readonly Pick<PartitionWork, 'partition' | 'position' | 'hasEntries'>[]>;
  /** Renews the leases before they expire, if the last time is long ago. */
  renew(): Promise<void>;
  /** Whether it has the lease, as far as it knows. */
  holds(partition: string): boolean;
  release(): Promise<void>;
}

export function createLeases(deps: {
  readonly db: Kysely<ServiceTables>;
  readonly process: string;
  /** The first time it takes leases even from their holder, because after a restart the holder has usually exited. */
  readonly isFirstStart: boolean;
}): Leases {
  const { db, process } = deps;
  let isStarting = deps.isFirstStart;
  let held = new Set<string>();
  let renewedAt = Number.NEGATIVE_INFINITY;

  async function take(partitions: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    renewedAt = performance.now();
    const positions = await takeLeases(db, partitions, process, isStarting);
    held = new Set(positions.keys());
    return positions;
  }

  return {
    async hold() {
      const { partitions, others } = await findWork(db, process);
      if (partitions.length > 1) {
        await announce(db, process);
      }
      const share = Math.ceil(partitions.length / (others + 1));
      const own = partitions.filter(({ isOwn }) => isOwn);
      const free = partitions.filter(({ isOwn, isDue }) => !isOwn && (isDue || isStarting));
      const surplus = own.slice(share);
      if (surplus.length > 0) {
        await releaseLeases(db, process, surplus.map(nameOf));
      }
      const wanted = [...own, ...free].slice(0, share);
      const isFresh = !isStarting && wanted.every(({ isLeased }) => isLeased);
      const taken = isFresh ? null : await take(wanted.map(nameOf));
      isStarting = false;
      held = new Set(taken?.keys() ?? wanted.map(nameOf));
      return wanted.flatMap(({ partition, position, hasEntries }) => {
        const at = taken === null ? position : taken.get(partition);
        return at === undefined ? [] : [{ partition, position: at, hasEntries }];
      });
    },

    async renew() {
      if (performance.now() - renewedAt > LEASE_MS / 2 && held.size > 0) {
        await take([...held]);
      }
    },

    holds: (partition) => held.has(partition),

    async release() {
      await releaseLeases(db, process, null);
      await leave(db, process);
    },
  };
}

function nameOf({ partition }: PartitionWork): string {
  return partition;
}
