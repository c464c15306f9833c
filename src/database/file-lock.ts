import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseStartError } from './errors.ts';

const SQLITE_BUSY = 5;
const RETRY_MS = 25;

/**
 * Runs `action` while no other process is inside the same lock.
 *
 * The lock is SQLite's on an empty file: the operating system frees it when its holder dies, however it dies. A file of
 * our own with a process id in it would have to guess, and Node offers no `flock`.
 *
 * @throws DatabaseStartError when the lock is not had within `timeoutMs`
 */
export async function withFileLock<T>(path: string, timeoutMs: number, action: () => Promise<T>): Promise<T> {
  using lock = openLock(path);
  const deadline = Date.now() + timeoutMs;
  while (!tryLock(lock, path)) {
    if (Date.now() > deadline) {
      throw new DatabaseStartError(`another process has held ${path} for too long; end it and start again`);
    }
    await sleep(RETRY_MS);
  }
  return await action();
}

function tryLock(lock: DatabaseSync, path: string): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      return false;
    }
    throw cannotLock(path, error);
  }
}

function openLock(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: 0 });
  } catch (error) {
    throw cannotLock(path, error);
  }
}

function cannotLock(path: string, cause: unknown): DatabaseStartError {
  return new DatabaseStartError(`${path} cannot be locked; is its folder ours to write in?`, { cause });
}
