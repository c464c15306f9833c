import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The names in Debian's packages `prometheus` and `prometheus-alertmanager`. */
const PROMETHEUS = 'prometheus';
const AMTOOL = 'amtool';

export const hasPrometheus = [PROMETHEUS, AMTOOL].every((binary) => spawnSync(binary, ['--version']).status === 0);

/**
 * Starts a real Prometheus on loopback, with its storage in a temporary folder. It ends when it is disposed of.
 *
 * @param config the content of `prometheus.yml`; `rule_files` is added
 * @param rules the groups of its rule file
 */
export async function startPrometheus(config: object, rules: readonly object[]): Promise<AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  started.defer(() => rm(folder, { recursive: true }));
  const [configFile, ruleFile] = [join(folder, 'prometheus.yml'), join(folder, 'rules.yml')];
  await writeFile(ruleFile, JSON.stringify({ groups: rules }));
  await writeFile(configFile, JSON.stringify({ ...config, rule_files: [ruleFile] }));
  const child = spawn(
    PROMETHEUS,
    [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
      '--rules.alert.resend-delay=5s', // an alert that is not sent for four times as long is over
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'exit');
  started.defer(async () => {
    child.kill();
    await ended;
  });
  await isReady(createInterface(child.stderr));
  return started.move();
}

/** Reads the log until it says so. Fails if the process exits. */
function isReady(log: AsyncIterable<string> & NodeJS.EventEmitter): Promise<void> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    log.on('line', (line: string) => {
      lines.push(line);
      if (line.includes('Server is ready to receive web requests')) {
        resolve();
      }
    });
    log.once('close', () => reject(new Error(`Prometheus did not start:\n${lines.join('\n')}`)));
  });
}

/** Runs `amtool`, which prints warnings as errors too. */
export async function amtool(
  args: readonly string[],
): Promise<{ readonly out: string; readonly err: string; readonly code: number }> {
  const child = spawn(AMTOOL, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  const [code] = await once(child, 'close');
  return { out: out.join(''), err: err.join(''), code: Number(code) };
}

function collect(stream: NodeJS.ReadableStream): readonly string[] {
  const parts: string[] = [];
  stream.setEncoding('utf8').on('data', (text: string) => parts.push(text));
  return parts;
}
