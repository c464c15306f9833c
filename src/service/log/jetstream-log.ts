import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { ServiceTables } from '../store/schema/tables.ts';
import { lockWriters } from '../store/shared/signal-state.ts';
import { encodeEntry } from './log-format.ts';
import { deleteRows, MAX_BYTES, selectRows } from './log-table.ts';
import { type Connected, createNatsServers, STREAM, SUBJECTS } from './nats-connection.ts';
import type { LogRow, TelemetryLog } from './telemetry-log.ts';

/** What the row of an entry has instead of its bytes. */
const Pointer = z.object({
  /** With the index of its part, the id of a message. */
  id: z.string(),
  /** Number of the message of each part. */
  messages: z.array(z.int()),
  size: z.int(),
  /** Of the stream, see `readCreation`. */
  createdAt: z.number(),
});
type Pointer = z.infer<typeof Pointer>;

/** Of the bits of `PreparedEntry.message`: enough for a thousand messages a second for four years, and until 2097. */
const NUMBER_BITS = 37n;

/**
 * Keeps the bytes of telemetry in a stream of NATS JetStream, and its row with the numbers of their messages in the table. So the
 * order of the log, and what is in it, is decided by the transactions of the database alone, as in the other log: a message
 * that no row names was never appended.
 *
 * Bytes are stored before the row that names them and deleted after it. `purged` in `correlation` keeps a slow writer from naming a
 * message that may be gone.
 */
export function createJetStreamLog(deps: {
  readonly url: string;
  readonly db: Kysely<ServiceTables>;
  readonly logger?: Logger | undefined;
}): TelemetryLog {
  const servers = createNatsServers(deps.url, deps.logger);
  /** Where each partition was trimmed to last. */
  const trimmed = new Map<string, bigint>();

  /** @returns empty: the bytes are lost */
  async function fetchBytes(partition: string, row: LogRow & { readonly message: bigint }): Promise<LogRow> {
    const pointer = readPointer(row.bytes);
    const parts = await Promise.all(
      pointer.messages.map((number, index) =>
        servers.attempt((connected) => getMessage(connected, pointer, { number, id: `${pointer.id}.${index}` })),
      ),
    );
    if (!parts.includes(null)) {
      return { ...row, bytes: Buffer.concat(parts.filter((part) => part !== null)) };
    }
    const { purged } = await deps.db
      .selectFrom('correlation')
      .select('purged')
      .where('partition', '=', partition)
      .executeTakeFirstOrThrow();
    if (BigInt(purged) >= row.message) {
      throw new Error(`entry ${row.sequence} was trimmed meanwhile by another process`);
    }
    return { ...row, bytes: Buffer.alloc(0) };
  }

  return {
    async prepare(partition, entry) {
      const bytes = encodeEntry(entry);
      const id = randomUUID();
      return servers.attempt(async (connected) => {
        const { js, maxBytes } = connected;
        const parts = Array.from({ length: Math.ceil(bytes.length / maxBytes) }, (_, index) =>
          bytes.subarray(index * maxBytes, (index + 1) * maxBytes),
        );
        const [createdAt, ...acks] = await Promise.all([
          readCreation(connected),
          ...parts.map((part, index) => js.publish(subjectOf(partition), part, { msgID: `${id}.${index}` })),
        ]);
        const messages = acks.map(({ seq }) => seq);
        const pointer = { id, messages, size: bytes.length, createdAt } satisfies Pointer;
        const message = positionOf(createdAt, Math.min(...messages));
        return { partition, bytes: Buffer.from(JSON.stringify(pointer)), message };
      });
    },

    async readAfter(db, partition, after, upTo) {
      const { rows, isAll } = await selectRows(db, partition, after, upTo);
      const fitting = rows.slice(0, countFitting(rows));
      const read = fitting.map(async (row) => (hasMessage(row) ? fetchBytes(partition, row) : row));
      return { rows: await Promise.all(read), isAll: isAll && fitting.length === rows.length };
    },

    /** One snapshot later than asked for, so that no process that is slow by less than that meets `purged`. */
    async trim(db, partition, upTo) {
      const before = trimmed.get(partition);
      trimmed.set(partition, upTo);
      if (before === undefined) {
        return;
      }
      const purged = await db.transaction().execute(async (tx) => {
        await lockWriters(tx);
        const last = await deleteRows(tx, partition, before);
        const { rows } = await sql<{ purged: string }>`
          update correlation set purged = coalesce(
            (select min(message) - 1 from telemetry_log as log where log.partition = ${partition}),
            ${last?.toString() ?? null}::bigint,
            purged
          )
          where partition = ${partition} returning purged
        `.execute(tx);
        return BigInt(rows[0]?.purged ?? 0);
      });
      await servers.attempt(async (connected) => {
        const number = purged - positionOf(await readCreation(connected), 0);
        if (number > 0n) {
          await connected.jsm.streams.purge(STREAM, { filter: subjectOf(partition), seq: Number(number) + 1 });
        }
      });
    },

    check: () => servers.attempt(async ({ jsm }) => void (await jsm.streams.info(STREAM)), 0),

    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  };
}

/**
 * @returns null: it is lost
 * @throws when the servers may get it yet
 */
async function getMessage(
  { jsm, isDirect }: Connected,
  { createdAt }: Pointer,
  { number, id }: { readonly number: number; readonly id: string },
): Promise<Uint8Array | null> {
  const query = { seq: number };
  const near = isDirect ? await jsm.direct.getMessage(STREAM, query) : null;
  // A follower may not have it yet.
  const found = near?.header.get('Nats-Msg-Id') === id ? near : await jsm.streams.getMessage(STREAM, query);
  if (found?.header.get('Nats-Msg-Id') === id) {
    return found.data;
  }
  const { state, created } = await jsm.streams.info(STREAM);
  if (found === null && state.last_seq < number && Date.parse(created) === createdAt) {
    throw new Error('the leader does not have all messages yet');
  }
  return null;
}

/**
 * When the stream was created, in milliseconds since 1970: numbers of messages start again with a new one. Asked each time, because
 * a connection outlives a stream that is replaced.
 */
async function readCreation({ jsm }: Connected): Promise<number> {
  return Date.parse((await jsm.streams.info(STREAM)).created);
}

/** Grows with the number, and with each stream that replaces one. */
function positionOf(createdAt: number, number: number): bigint {
  return (BigInt(Math.floor(createdAt / 60_000)) << NUMBER_BITS) + BigInt(number);
}

/** Names of systems have no dot, wildcard or space, see `System`. */
function subjectOf(partition: string): string {
  return `${SUBJECTS}.${partition}`;
}

function readPointer(bytes: Buffer): Pointer {
  return Pointer.parse(JSON.parse(bytes.toString()));
}

function hasMessage<Row extends { readonly message: bigint | null }>(row: Row): row is Row & { message: bigint } {
  return row.message !== null;
}

/** How many entries are read at a time: at least one. */
function countFitting(rows: readonly (LogRow & { readonly message: bigint | null })[]): number {
  let bytes = 0;
  const beyond = rows.findIndex((row) => {
    const isOver = bytes >= MAX_BYTES;
    bytes += hasMessage(row) ? readPointer(row.bytes).size : row.bytes.length;
    return isOver;
  });
  return beyond < 0 ? rows.length : beyond;
}
