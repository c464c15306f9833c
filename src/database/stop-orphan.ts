import { setTimeout as sleep } from 'node:timers/promises';
import { stopUnusedPostgres } from './embedded-postgres.ts';

/**
 * The program of the watchdog, which runs after its owner has died. One check is not enough, because connections of the
 * dead process last until their statements end. A process that has taken over the server has its own watchdog.
 */
const CHECKS = 4;

const [parentDir = '', graceSeconds = ''] = process.argv.slice(2);

for (let check = 0; check < CHECKS; check += 1) {
  await sleep(Number(graceSeconds) * 1_000);
  if (await stopUnusedPostgres(parentDir)) {
    break;
  }
}
