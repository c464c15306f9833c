import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from '../target.ts';

/** Watches the resident memory of the service. Only on Linux; 0 elsewhere. */
export function readMemory(target: Target): { stop(): Promise<number> } {
  const over = new AbortController();
  const peak = watch(target.pid, over.signal);
  return {
    async stop() {
      over.abort();
      return peak;
    },
  };
}

async function watch(pid: number, signal: AbortSignal): Promise<number> {
  let peakMb = 0;
  do {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    peakMb = Math.max(peakMb, Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024));
    await sleep(50, undefined, { signal }).catch(() => undefined);
  } while (!signal.aborted);
  return peakMb;
}
