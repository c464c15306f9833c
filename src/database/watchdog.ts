import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { SERVER_ENVIRONMENT } from './cluster.ts';

/** A small process that outlives ours and stops the server if we die without leaving it. */
export interface Watchdog {
  /** Ends the watchdog without a check, because this process has left the server properly. */
  dismiss(): void;
}

/** Waits for a line, which means that we left properly. If the pipe closes without one, runs the program. */
const WAIT = 'read -r left && exit; exec "$@"';

/**
 * @param parentDir absolute path of the data folder
 * @param graceSeconds delay between our death and the first check, so that a restarted process can use the server
 */
export function startWatchdog(parentDir: string, graceSeconds: number, logger: Logger): Watchdog {
  const program = fileURLToPath(new URL(`./stop-orphan${extname(import.meta.filename)}`, import.meta.url));
  const command = [process.execPath, program, parentDir, String(graceSeconds)];
  const child = spawn('/bin/sh', ['-c', WAIT, 'tocsin-watchdog', ...command], {
    cwd: '/',
    detached: true, // in its own process group, which a signal to ours does not reach
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...SERVER_ENVIRONMENT, TMPDIR: tmpdir() },
  });
  child.on('error', (err) => logger.warn({ err }, 'no watchdog: after a crash the embedded PostgreSQL keeps running'));
  child.stdin.on('error', () => undefined); // it has ended
  child.unref();
  if (child.stdin instanceof Socket) {
    child.stdin.unref();
  }
  return { dismiss: () => void child.stdin.end('left\n') };
}
