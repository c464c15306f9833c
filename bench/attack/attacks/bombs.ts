import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.ts';
import type { Target } from '../target.ts';
import { createIngestBombs } from './ingest-bombs.ts';

const AT_ONCE = 6;
const MAX_MEMORY_MB = 700;
const PAUSE_MS = 20;

/** Sends one event after the other until stopped. @returns those that were not accepted */
async function sendEvents(target: Target, stop: AbortSignal): Promise<number> {
  const key = await target.createIngestKey();
  const body = { service: 'backup', summary: 'the nightly backup failed' };
  let refused = 0;
  while (!stop.aborted) {
    const answer = await target.call('POST', '/v1/generic', { key, body });
    await answer.body?.cancel();
    refused += answer.status === 200 ? 0 : 1;
    await sleep(PAUSE_MS);
  }
  return refused;
}

/** The most memory that the process has had in use, by the kernel. Only on Linux; 0 elsewhere. */
async function readPeakMemoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024);
}

export const bombAttacks: readonly Attack[] = [
  {
    name: `bombs of one sender, ${AT_ONCE} at a time, while another one sends`,
    isQuick: true,
    isAlone: true,
    async run(target) {
      const bombs = createIngestBombs();
      const waiting = [...bombs];
      const wrong: string[] = [];
      const stop = new AbortController();
      const refused = sendEvents(target, stop.signal);
      const attackers = Array.from({ length: AT_ONCE }, async () => {
        for (let bomb = waiting.shift(); bomb !== undefined; bomb = waiting.shift()) {
          const { name, path, headers, body, status } = bomb;
          const answer = await target.call('POST', path, { key: target.ingestKey, headers, body });
          await answer.body?.cancel();
          wrong.push(...(answer.status === status ? [] : [`${name} ${answer.status}`]));
        }
      });
      await Promise.all(attackers);
      stop.abort();
      const memoryMb = await readPeakMemoryMb(target.pid);
      return {
        text: `${bombs.length} bombs, answered otherwise: ${wrong.join(', ') || 'none'}; ${await refused} other events refused; ${memoryMb} MB`,
        isHeld: wrong.length === 0 && (await refused) === 0 && memoryMb < MAX_MEMORY_MB,
      };
    },
  },
];
