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

/** Clock ticks of a second: Linux shows times of processes in this unit (proc(5)). */
const TICKS = 100;

/** Processor time that a process has taken so far. */
export async function readCpuSeconds(pid: number): Promise<number> {
  const [own] = await readTimes(pid);
  return own;
}

/** That of a process, its children, and those that have ended. */
export async function readCpuSecondsOfAll(pid: number): Promise<number> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').filter(Boolean);
  const [own, ended] = await readTimes(pid);
  const living = await Promise.all(children.map((child) => readCpuSeconds(Number(child)).catch(() => 0)));
  return living.reduce((sum, each) => sum + each, own + ended);
}

/** Those of a process, and of its children that have ended. */
async function readTimes(pid: number): Promise<[number, number]> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields
    .slice(11, 15)
    .map((ticks) => Number(ticks) / TICKS);
  return [user + system, childUser + childSystem];
}
