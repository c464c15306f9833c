import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from './wait-for.ts';

/** Neither etcd, Patroni nor PostgreSQL runs as root. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

export async function startProgram(
  command: string,
  home: string,
  args: readonly string[],
): Promise<{ readonly pid: number }> {
  await mkdir(home, { recursive: true });
  await giveAway(home);
  await using log = await open(join(home, 'log'), 'a');
  const child = spawn(command, args, {
    cwd: home,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: { PATH: '/usr/bin:/bin', HOME: home, LC_ALL: 'C.UTF-8' },
    ...NOBODY,
  });
  await once(child, 'spawn');
  child.unref();
  return { pid: child.pid ?? 0 };
}

export async function endGroup(pid: number): Promise<void> {
  sendSignal(pid, 'SIGKILL');
  await waitFor(async () => !isAlive(pid), 10_000, 'the end of a program');
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

export async function giveAway(folder: string): Promise<void> {
  if (NOBODY.uid !== undefined && NOBODY.gid !== undefined) {
    await chown(folder, NOBODY.uid, NOBODY.gid);
  }
}
