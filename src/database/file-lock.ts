import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseStartError } from './errors.ts';

const SQLITE_BUSY = 5;
const RETRY_MS = 25;

/**
 * Runs `action` while holding an exclusive lock.
 *
 * Uses SQLite's lock on an empty file, which the operating system releases when the process dies. A file with a process id
 * would not be reliable, and Node has no `flock`.
 *
 * @throws DatabaseStartError when the lock cannot be acquired within `timeoutMs`
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
  return new DatabaseStartError(`${path} cannot be locked; check that its folder is writable`, { cause });
}
