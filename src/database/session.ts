import type { Client } from 'pg';
import { cut } from './cut.ts';
import { DatabaseTimeoutError, errorCode } from './errors.ts';
import { withLimit } from './limit.ts';
import { nameOf, type StatementNames } from './prepared.ts';

/** The settings of a session, such as its schema and its limits. */
export type SessionSettings = Readonly<Record<string, string>>;

/** What Kysely needs of a result. */
export interface Rows<Row> {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: Row[];
}

/** One connection to PostgreSQL, used by one caller at a time. */
export interface Session {
  readonly epoch: number;
  /** Whether it must not be used again. */
  isBroken(): boolean;
  query<Row>(text: string, parameters: readonly unknown[]): Promise<Rows<Row>>;
  end(): Promise<void>;
}

const BEGINS = /^(begin|start transaction)\b/i;
const ENDS = /^(commit|rollback)$/i;
const NO_ROWS = { command: '', rowCount: 0, rows: [] };

/**
 * @param options.limitMs how long the caller waits for a statement, longer than the server's own limit; null: no limit
 * @param options.perTransaction settings for a pooler that gives each transaction another connection; null: the session
 * has its settings
 * @param options.prepares whether marked statements are prepared, see `prepared`
 * @param options.onFault told about each failed statement
 */
export function createSession(
  client: Client,
  options: {
    readonly epoch: number;
    readonly limitMs: number | null;
    readonly perTransaction: SessionSettings | null;
    readonly prepares: boolean;
    readonly onFault: (error: unknown) => void;
  },
): Session {
  const { epoch, limitMs, perTransaction, prepares, onFault } = options;
  const names: StatementNames = new Map();
  let isBroken = false;
  let isInTransaction = false;
  let delayedBegin: string | null = null;
  client.once('end', () => {
    isBroken = true;
  });

  async function run<Row>(text: string, parameters: readonly unknown[], mayPrepare = true): Promise<Rows<Row>> {
    if (isBroken) {
      throw new DatabaseTimeoutError('this connection to the database was given up');
    }
    try {
      const name = prepares && mayPrepare ? nameOf(text, names) : null;
      const answer = send<Row>(client, name, text, parameters);
      return await (limitMs === null ? answer : withLimit(limitMs, answer, giveUp));
    } catch (error) {
      isBroken ||= error instanceof DatabaseTimeoutError || errorCode(error) === '25006';
      onFault(error);
      throw error;
    }
  }

  function giveUp(): void {
    isBroken = true;
    void cut(client);
  }

  /**
   * A transaction begins together with its first statement where that has no parameters, such as one that takes a lock:
   * that saves a round trip.
   */
  async function runInOrder<Row>(text: string, parameters: readonly unknown[]): Promise<Rows<Row>> {
    const begin = delayedBegin;
    delayedBegin = null;
    if (BEGINS.test(text)) {
      delayedBegin = perTransaction === null ? text : `${text}; ${setLocal(perTransaction)}`;
      return NO_ROWS;
    }
    if (begin === null) {
      return run(text, parameters);
    }
    if (ENDS.test(text)) {
      return NO_ROWS;
    }
    if (parameters.length === 0) {
      return run(`${begin}; ${text}`, [], false);
    }
    await run(begin, []);
    return run(text, parameters);
  }

  /** Through a pooler, a statement of its own becomes a transaction of its own. */
  async function runInTransaction<Row>(
    settings: SessionSettings,
    text: string,
    parameters: readonly unknown[],
  ): Promise<Rows<Row>> {
    if (isInTransaction || BEGINS.test(text)) {
      isInTransaction = !ENDS.test(text);
      return runInOrder(text, parameters);
    }
    await run(`begin; ${setLocal(settings)}`, []);
    try {
      const result = await run<Row>(text, parameters);
      await run('commit', []);
      return result;
    } catch (error) {
      await run('rollback', []).catch(giveUp);
      throw error;
    }
  }

  return {
    epoch,
    isBroken: () => isBroken,
    query: (text, parameters) =>
      perTransaction === null ? runInOrder(text, parameters) : runInTransaction(perTransaction, text, parameters),
    async end() {
      isBroken = true;
      await cut(client);
    },
  };
}

/** @param name of a prepared statement; null: it is not prepared */
async function send<Row>(
  client: Client,
  name: string | null,
  text: string,
  parameters: readonly unknown[],
): Promise<Rows<Row>> {
  const values = [...parameters];
  const answer =
    name === null ? client.query(text, values.length === 0 ? undefined : values) : client.query({ name, text, values });
  // The rows have the type that the caller of Kysely has named; several statements have as many results.
  const result = (await answer) as unknown as Rows<Row> | Rows<Row>[];
  return Array.isArray(result) ? (result.at(-1) ?? NO_ROWS) : result;
}

function setLocal(settings: SessionSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `set local ${name} = '${value}'`)
    .join('; ');
}

/** The same settings for the start of a connection. */
export function toStartupOptions(settings: SessionSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}
