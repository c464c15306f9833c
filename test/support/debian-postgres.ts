import { execFile, execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BINARIES = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1) ?? null;

/** The embedded PostgreSQL has no programs for backups, so their tests need Debian's. */
export const HAS_DEBIAN_POSTGRES = BINARIES !== null;

/** Where clusters and backups are, owned by a user that may run PostgreSQL. */
export interface DebianPostgres extends AsyncDisposable {
  readonly folder: string;
  /** Runs a program such as `pg_dump` in the folder. */
  run(program: string, args: readonly string[]): Promise<void>;
  /** Starts the cluster in `folder/name`. @returns the address of its database `postgres` */
  start(name: string): Promise<string>;
  stop(name: string): Promise<void>;
}

export async function prepareDebianPostgres(): Promise<DebianPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'pg-'));
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}; // it refuses to run as root
  if (owner.uid !== undefined && owner.gid !== undefined) {
    await chown(folder, owner.uid, owner.gid);
    await chmod(join(folder, '..'), 0o755);
  }
  const running = new Set<string>();
  const call = async (program: string, args: readonly string[]) => {
    await promisify(execFile)(join(BINARIES ?? '', program), args, { cwd: folder, ...owner });
  };
  const stop = async (name: string) => {
    running.delete(name);
    await call('pg_ctl', ['stop', '--pgdata', name, '--mode=fast', '--silent', '--wait']);
  };
  return {
    folder,
    run: call,
    async start(name) {
      const options = `-c listen_addresses= -c unix_socket_directories=${folder} -c port=${5433 + running.size} -c fsync=off`;
      const url = `postgres://postgres@${encodeURIComponent(folder)}:${5433 + running.size}/postgres`;
      running.add(name);
      await call('pg_ctl', ['start', '--pgdata', name, '--log=log', '--silent', '--wait', `--options=${options}`]);
      return url;
    },
    stop,
    async [Symbol.asyncDispose]() {
      for (const name of running) {
        await stop(name);
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function idOf(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
}
