import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { createEmptyDatabase } from '../../test/support/database.ts';
import { advanceDatabaseClock } from '../../test/support/database-clock.ts';
import { CLOCK_STEP_MS } from '../runtime/clock.ts';
import { createClock, fromNow, isDue } from './lease.ts';

const SCHEMA = 'lease_test';
const LONGEST_MS = 60_000;

interface Tables {
  readonly task: { readonly at: Date | null };
}

async function withTask(
  run: (test: {
    /** Sets the time of the task, `null` or in milliseconds from now, and tells whether it is due. */
    isDueAt: (ms: number | null) => Promise<boolean>;
    isDueNow: () => Promise<boolean>;
    advance: (ms: number) => Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  await using database = await createEmptyDatabase();
  const db: Kysely<Tables> = await database.open<Tables>(SCHEMA, {
    '0001': {
      async up(tx) {
        await createClock.execute(tx);
        await sql`create table task (at timestamptz)`.execute(tx);
        await sql`insert into task values (null)`.execute(tx);
      },
    },
  });
  const isDueNow = async () => {
    const { rows } = await sql<{ due: boolean }>`select ${isDue('at', LONGEST_MS)} as due from task`.execute(db);
    return rows[0]?.due ?? false;
  };
  await run({
    async isDueAt(ms) {
      await sql`update task set at = ${ms === null ? null : fromNow(ms)}`.execute(db);
      return isDueNow();
    },
    isDueNow,
    advance: (ms) => advanceDatabaseClock(database, SCHEMA, ms),
  });
}

it('is due when its time has come, or when it has none', () =>
  withTask(async ({ isDueAt }) => {
    expect([await isDueAt(null), await isDueAt(0), await isDueAt(-LONGEST_MS), await isDueAt(30_000)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  }));

it('is due when its time is further ahead than it can have been set', () =>
  withTask(async ({ isDueAt }) => {
    expect([
      await isDueAt(LONGEST_MS + CLOCK_STEP_MS - 1_000),
      await isDueAt(LONGEST_MS + CLOCK_STEP_MS + 1_000),
    ]).toEqual([false, true]);
  }));

it('becomes due by the clock of the database, ahead or back', () =>
  withTask(async ({ isDueAt, isDueNow, advance }) => {
    const before = await isDueAt(LONGEST_MS - 1_000);
    await advance(LONGEST_MS);
    const afterwards = await isDueNow();
    await isDueAt(LONGEST_MS - 1_000);
    await advance(-60 * 60_000);

    expect([before, afterwards, await isDueNow()]).toEqual([false, true, true]);
  }));
