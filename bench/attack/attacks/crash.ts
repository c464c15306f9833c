import { locateCluster } from '../../../src/database/cluster.ts';
import { findServer } from '../../../src/database/server.ts';
import { type Attack, defineAttack } from '../attack.ts';
import { startTarget, waitUntil } from '../target.ts';

export const crashAttacks: readonly Attack[] = [
  defineAttack({
    name: 'kill -9 of a service with an embedded PostgreSQL',
    isQuick: false,
    async run() {
      await using victim = await startTarget({});
      const cluster = await locateCluster(victim.dataDir);
      await victim.kill();
      const startedAt = performance.now();
      const isGone = await waitUntil(60_000, async () => (await findServer(cluster)) === null);
      return { isGone, tookMs: performance.now() - startedAt };
    },
    describe: ({ isGone, tookMs }) =>
      `the database ${isGone ? 'ended' : 'still runs'} after ${(tookMs / 1_000).toFixed(0)} s`,
    isHeld: ({ isGone }) => isGone,
  }),
];
