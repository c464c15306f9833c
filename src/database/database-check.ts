import type { Client } from 'pg';
import { cut } from './cut.ts';
import { DatabaseUnreachableError, describeConnectFailure, errorCode, ReadOnlyServerError } from './errors.ts';
import { withLimit } from './limit.ts';
import type { Servers } from './servers.ts';

const CHECK_MS = 5_000;

const READ_ONLY = '25006';
const DISK_FULL = '53100';

/** Writes a megabyte and drops it, because a full disk refuses only writes that need more space. */
const WRITE_PROBE = `
  begin;
  create temporary table tocsin_write_probe on commit drop as
    select repeat('x', 7000) as filler from generate_series(1, 128);
  commit`;

/** Finds out whether the database can be reached and written to. */
export interface DatabaseCheck extends AsyncDisposable {
  /** @throws DatabaseUnreachableError */
  run(): Promise<void>;
  /** A statement of any session failed. */
  noticeFault(error: unknown): void;
}

export function createDatabaseCheck(servers: Servers, name: string): DatabaseCheck {
  let control: Client | null = null;
  let running: Promise<void> | null = null;
  let isFull = false;
  let isReadOnly = false;

  async function check(): Promise<void> {
    const client = control ?? (await servers.connect({}, CHECK_MS));
    control = client;
    const { rows } = await withLimit(
      CHECK_MS,
      client.query<{ readOnly: boolean }>(
        `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "readOnly"`,
      ),
      () => void cut(client),
    );
    if (rows[0]?.readOnly !== false) {
      throw new ReadOnlyServerError('it is read-only');
    }
    if (isFull) {
      await withLimit(CHECK_MS, client.query(WRITE_PROBE), () => void cut(client));
      isFull = false;
    }
    if (isReadOnly) {
      isReadOnly = false;
      servers.distrust(); // sessions that were opened while the server was read-only stay so
    }
  }

  async function run(): Promise<void> {
    const isKept = control !== null;
    try {
      await check();
    } catch (cause) {
      if (control !== null) {
        void cut(control);
        control = null;
      }
      noticeFault(cause);
      if (isKept) {
        return run(); // retries once, because perhaps only this session has ended
      }
      throw new DatabaseUnreachableError(describe(cause), { cause });
    }
  }

  function describe(fault: unknown): string {
    if (isReadOnlyFault(fault)) {
      return `PostgreSQL (${name}) is read-only`;
    }
    return errorCode(fault) === DISK_FULL
      ? `PostgreSQL (${name}) has no disk space left`
      : `PostgreSQL (${name}) cannot be reached: ${describeConnectFailure(fault)}`;
  }

  function noticeFault(fault: unknown): void {
    if (isReadOnlyFault(fault)) {
      isReadOnly = true;
      servers.distrust();
    }
    isFull ||= errorCode(fault) === DISK_FULL;
  }

  return {
    run() {
      running ??= run().finally(() => {
        running = null;
      });
      return running;
    },
    noticeFault,
    async [Symbol.asyncDispose]() {
      await running?.catch(() => undefined);
      if (control !== null) {
        await cut(control);
      }
    },
  };
}

function isReadOnlyFault(fault: unknown): boolean {
  return fault instanceof ReadOnlyServerError || errorCode(fault) === READ_ONLY;
}
