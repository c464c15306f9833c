import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { startNats } from '../../test/support/nats-server.ts';
import { startTocsin, type TocsinProcess } from '../../test/support/tocsin-process.ts';
import { listLostRecords } from '../failover/rounds.ts';
import { waitFor } from '../failover/wait-for.ts';
import { say } from '../measure.ts';
import { thousands } from '../numbers.ts';
import { createPost, startRecordLoad } from '../record-load.ts';
import { startScratchCluster } from '../scratch-cluster.ts';
import { startSpanLoad } from '../span-load.ts';

const HELP = `npm run bench:upgrade -- [options]
  --from <version>    tag or commit that is upgraded (the last tag)
  --spans <number>    a second (3000)
  --seconds <number>  between two changes (15)
  --nats              telemetry goes through a cluster of three servers of NATS
  --help              this

Two processes of the former version serve a load and are replaced one after the other by two of this version. The new ones
run beside an old one in between. Tells what was lost, doubled, or answered with other statuses than 200 and 503.`;

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    spans: { type: 'string', default: '3000' },
    seconds: { type: 'string', default: '15' },
    nats: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const ROOT = join(import.meta.dirname, '../..');
const START_MS = 120_000;
const run = promisify(execFile);

async function lastTag(): Promise<string> {
  const { stdout } = await run('git', ['describe', '--tags', '--abbrev=0'], { cwd: ROOT }).catch((cause: unknown) => {
    throw new Error('there is no tag yet: name a version with --from', { cause });
  });
  return stdout.trim();
}

/** The sources of a version, with the packages of this one. */
async function checkOut(version: string, folder: string): Promise<void> {
  const archive = join(folder, '..', 'version.tar');
  await mkdir(folder);
  await run('git', ['archive', '--output', archive, version], { cwd: ROOT });
  await run('tar', ['--extract', '--file', archive, '--directory', folder]);
  await mkdir(join(folder, 'node_modules'));
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    const target = name === 'local-slack' ? join(folder, 'packages', name) : join(ROOT, 'node_modules', name);
    await symlink(target, join(folder, 'node_modules', name));
  }
}

async function upgrade(): Promise<boolean> {
  const version = values.from ?? (await lastTag());
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-upgrade-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const oldRoot = join(folder, 'old');
  await checkOut(version, oldRoot);
  const cluster = stack.use(await startScratchCluster());
  const databaseUrl = await cluster.createDatabase('upgrade');
  const nats = values.nats ? stack.use(await startNats(3)) : null;
  const { rawKey: key } = createRawKey('read-write');
  const env = {
    DATABASE_URL: databaseUrl,
    ...(nats === null ? {} : { NATS_URL: nats.url }),
    BOOTSTRAP_API_KEY: key,
    RATE_LIMIT_PER_MINUTE: '0',
    DRAIN_SECONDS: '2',
    LOG_LEVEL: 'warn',
  };
  const started: TocsinProcess[] = [];
  const serving: TocsinProcess[] = [];
  async function start(root: string): Promise<void> {
    const tocsin = stack.use(await startTocsin(env, ['service'], root));
    await waitFor(async () => (await tocsin.readiness()).ready, START_MS, 'a process that is ready');
    started.push(tocsin);
    serving.push(tocsin);
  }
  /** Requests go on to it until it has ended, as with a balancer that notices late. */
  async function stopOldest(): Promise<void> {
    const [oldest] = serving;
    await oldest?.stop();
    serving.shift();
  }

  await start(oldRoot);
  await start(oldRoot);
  let next = 0;
  const baseUrl = () => {
    next += 1;
    return `${serving[next % serving.length]?.url}/v1`;
  };
  const wrong = new Map<number, number>();
  const onWrong = (status: number) => wrong.set(status, (wrong.get(status) ?? 0) + 1);
  const records = startRecordLoad(createPost({ baseUrl, key, onWrong }));
  const spans = startSpanLoad({ baseUrl, key, spansPerSecond: Number(values.spans) });
  const startedAt = performance.now();
  const pause = () => sleep(Number(values.seconds) * 1_000);
  await pause();
  await start(ROOT);
  say(`this version runs beside two of ${version}`);
  await pause();
  await stopOldest();
  await start(ROOT);
  say(`two of this version run beside one of ${version}`);
  await pause();
  await stopOldest();
  say('this version runs alone');
  await pause();
  const seconds = (performance.now() - startedAt) / 1_000;
  await spans[Symbol.asyncDispose]();
  await records[Symbol.asyncDispose]();

  const lost = await listLostRecords(databaseUrl, records.acknowledged);
  const statuses = [...wrong, ...spans.wrongAnswers].map(([status, times]) => `${times} answers with ${status}`);
  const errors = started.flatMap((tocsin) =>
    tocsin
      .log()
      .split('\n')
      .filter((line) => /"level":(50|60)/.test(line)),
  );
  say(
    `${thousands(spans.accepted() / seconds)} spans a second, ${thousands(records.acknowledged.length)} records acknowledged`,
  );
  say(`${lost.length} of them lost or doubled; ${statuses.length} wrong statuses; ${errors.length} errors in logs`);
  for (const line of [...lost.slice(0, 20), ...statuses, ...errors.slice(0, 5)]) {
    say(`  ${line}`);
  }
  return lost.length + statuses.length + errors.length === 0;
}

if (values.help) {
  say(HELP);
} else {
  process.exitCode = (await upgrade()) ? 0 : 1;
}
