import { readdir, readFile } from 'node:fs/promises';

/** What a process holds. */
export interface Usage {
  /** In memory, shared libraries included. */
  readonly megabytes: number;
  /** Open files and connections. */
  readonly handles: number;
}

/** Reads it from Linux. */
export async function readUsage(pid: number): Promise<Usage> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN);
  return { megabytes: kilobytes / 1_024, handles: (await readdir(`/proc/${pid}/fd`)).length };
}
