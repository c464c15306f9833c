import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { decodeEntry } from '../../src/service/log/log-format.ts';
import { appendDecision, appendEntries, appendTick } from '../../src/service/log/log-table.ts';
import type { LogRow, PreparedEntry, TelemetryEntry, TelemetryLog } from '../../src/service/log/telemetry-log.ts';
import { beginPartition } from '../../src/service/store/log/correlation-lease.ts';
import type { ServiceTables } from '../../src/service/store/schema/tables.ts';
import { lockWriters } from '../../src/service/store/shared/signal-state.ts';

type Db = Kysely<ServiceTables>;

/** Telemetry that is told apart by its time. */
export function entryAt(at: number, bytes = 10): TelemetryEntry {
  const text = randomBytes(bytes / 2).toString('hex');
  const line = { kind: 'log', service: 'shop', at, severity: 'info', text, traceId: null, spanId: null } as const;
  return { kind: 'telemetry', at, reports: [{ sender: null, items: [line] }] };
}

/** The entries are too large to be compared in a message. */
function digest(entry: object): string {
  return createHash('sha256').update(JSON.stringify(entry)).digest('hex');
}

export function append(db: Db, entries: readonly PreparedEntry[]): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await lockWriters(tx);
    await appendEntries(tx, entries);
  });
}

/** Reads all that follows. */
export async function readAll(db: Db, log: TelemetryLog, partition: string, after = 0n): Promise<readonly LogRow[]> {
  const { rows, isAll } = await log.readAfter(db, partition, after);
  const last = rows.at(-1);
  return isAll || last === undefined ? rows : [...rows, ...(await readAll(db, log, partition, last.sequence))];
}

export function timesOf(rows: readonly LogRow[]): readonly number[] {
  return rows.map(({ bytes }) => {
    const entry = decodeEntry(bytes);
    return entry.kind === 'telemetry' ? entry.at : entry.kind === 'tick' ? entry.tick.at : entry.decision.at;
  });
}

const STEPS = ['append', 'append two', 'prepare only', 'roll back', 'decide', 'tick', 'read', 'trim', 'other'] as const;
const PARTITIONS = ['one', 'two', 'three'];

/** What holds for every log. */
export function checkLaws(open: () => { readonly db: Db; readonly logs: readonly [TelemetryLog, TelemetryLog] }): void {
  it('gives each partition what was committed there, once and in order, whatever is done between', async () => {
    const { db, logs } = open();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.constantFrom(...PARTITIONS)), { minLength: 5, maxLength: 40 }),
        async (steps) => {
          run += 1;
          const nameOf = (partition: string) => `${partition}-${run}`;
          const committed = new Map<string, number[]>();
          const positions = new Map<string, bigint>();
          let log = logs[0];
          let at = 0;
          for (const partition of PARTITIONS) {
            await beginPartition(db, nameOf(partition));
          }
          const commit = (partition: string) => {
            at += 1;
            committed.set(partition, [...(committed.get(partition) ?? []), at]);
            return at;
          };
          /** Everything that is there, and then what is new. */
          const readOn = async (partition: string) => {
            const after = positions.get(partition) ?? 0n;
            const rows = await readAll(db, log, nameOf(partition), after);
            positions.set(partition, rows.at(-1)?.sequence ?? after);
            expect(timesOf(rows)).toEqual(committed.get(partition) ?? []);
            committed.set(partition, []);
          };
          for (const [step, partition] of steps) {
            const name = nameOf(partition);
            switch (step) {
              case 'append':
                await append(db, [await log.prepare(name, entryAt(commit(partition)))]);
                break;
              case 'append two':
                await append(db, [
                  await log.prepare(name, entryAt(commit(partition))),
                  await log.prepare(name, entryAt(commit(partition))),
                ]);
                break;
              case 'prepare only':
                await log.prepare(name, entryAt(-1));
                break;
              case 'roll back': {
                const prepared = await log.prepare(name, entryAt(-2));
                const failed = db.transaction().execute(async (tx) => {
                  await lockWriters(tx);
                  await appendEntries(tx, [prepared]);
                  throw new Error('rolled back');
                });
                await failed.catch((error: unknown) => {
                  if (String(error) !== 'Error: rolled back') {
                    throw error;
                  }
                });
                break;
              }
              case 'decide':
                await db.transaction().execute(async (tx) => {
                  await lockWriters(tx);
                  await appendDecision(tx, name, { kind: 'forget', at: commit(partition), ids: [] });
                });
                break;
              case 'tick':
                await appendTick(db, name, { at: commit(partition), closed: [] });
                break;
              case 'read':
                await readOn(partition);
                break;
              case 'trim':
                await log.trim(db, name, positions.get(partition) ?? 0n);
                break;
              case 'other':
                log = log === logs[0] ? logs[1] : logs[0];
                break;
            }
          }
          for (const partition of PARTITIONS) {
            await readOn(partition);
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it('gives back an entry that is larger than any message, and bounds what is read at a time', async () => {
    const { db, logs } = open();
    await beginPartition(db, 'big');
    const entries = [1, 2, 3, 4].map((at) => entryAt(at, 3_500_000));
    for (const entry of entries) {
      await append(db, [await logs[0].prepare('big', entry)]);
    }

    const first = await logs[1].readAfter(db, 'big', 0n);
    const all = await readAll(db, logs[1], 'big');

    expect({ isAll: first.isAll, entries: first.rows.length }).toEqual({ isAll: false, entries: 3 });
    expect(all.map(({ bytes }) => digest(decodeEntry(bytes)))).toEqual(entries.map(digest));
  });

  it('reads no further than asked, and keeps what follows a trim', async () => {
    const { db, logs } = open();
    const [log] = logs;
    await beginPartition(db, 'trimmed');
    for (const at of [1, 2, 3, 4]) {
      await append(db, [await log.prepare('trimmed', entryAt(at))]);
    }
    const rows = await readAll(db, log, 'trimmed');
    const [, second, third] = rows.map(({ sequence }) => sequence);

    await log.trim(db, 'trimmed', second ?? 0n);
    await log.trim(db, 'trimmed', second ?? 0n);

    expect(timesOf((await log.readAfter(db, 'trimmed', second ?? 0n, third)).rows)).toEqual([3]);
    expect(timesOf(await readAll(db, log, 'trimmed'))).toEqual([3, 4]);
  });
}
