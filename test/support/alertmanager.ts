import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The name in Debian's package. */
const BINARY = 'prometheus-alertmanager';

export const hasAlertmanager = spawnSync(BINARY, ['--version']).status === 0;

export interface Alertmanager extends AsyncDisposable {
  /** Sends alerts to its API v2, like Prometheus. */
  post(alerts: readonly object[]): Promise<void>;
  readonly pid: number;
}

/**
 * Starts a real Alertmanager on loopback, with its storage in a temporary folder.
 *
 * @param config the content of `alertmanager.yml`
 */
export async function startAlertmanager(config: object): Promise<Alertmanager> {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'alertmanager-'));
  started.defer(() => rm(folder, { recursive: true }));
  const configFile = join(folder, 'alertmanager.yml');
  await writeFile(configFile, JSON.stringify(config));
  const child = spawn(
    BINARY,
    [
      `--config.file=${configFile}`,
      `--storage.path=${join(folder, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
      '--cluster.listen-address=',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'exit');
  started.defer(async () => {
    child.kill();
    await ended;
  });
  const address = await readAddress(createInterface(child.stderr));
  const { pid } = child;
  if (pid === undefined) {
    throw new Error('Alertmanager did not start');
  }
  const disposables = started.move();
  return {
    pid,
    async post(alerts) {
      const response = await fetch(`http://${address}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(alerts),
      });
      if (response.status !== 200) {
        throw new Error(`Alertmanager answered ${response.status}: ${await response.text()}`);
      }
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

/** Reads the address from the log. Fails if the process exits. */
function readAddress(log: AsyncIterable<string> & NodeJS.EventEmitter): Promise<string> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    log.on('line', (line: string) => {
      lines.push(line);
      const [, address] = /msg="Listening on" address=(\S+)/.exec(line) ?? [];
      if (address !== undefined) {
        resolve(address);
      }
    });
    log.once('close', () => reject(new Error(`Alertmanager did not start:\n${lines.join('\n')}`)));
  });
}
