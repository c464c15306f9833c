import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { addMinutes } from '../../../runtime/dates.ts';
import { NotFoundError, SwapAnsweredError } from '../../core/errors.ts';
import { createId, findTimeOfId } from '../../core/ids.ts';
import type { PersonId } from '../../core/turns/schedule.ts';
import type { ScheduleSwapsTable } from '../schema/on-call-columns.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { type Change, endOverrideNow, insertOverride, lockSchedule, recordChange } from './schedule-store.ts';

export type SwapAnswer = Exclude<ScheduleSwapsTable['state'], 'asked'> | 'undone';

/** How long whoever took a swap can give it back. */
const UNDO_MINUTES = 10;

export interface Swap {
  readonly id: string;
  readonly scheduleId: string;
  readonly from: Date;
  readonly to: Date;
  readonly asker: PersonId;
  /** Whom it was offered to, or who took it; null: anybody. */
  readonly taker: PersonId | null;
  readonly state: ScheduleSwapsTable['state'];
  /** Until when whoever took it can give it back; null: nobody took it. */
  readonly undoUntil: Date | null;
}

export interface SwapStore {
  /** Those that have not ended, the first to begin first. */
  list(scheduleId: string, now: Date): Promise<Swap[]>;
  find(id: string): Promise<Swap | null>;
  /** @throws {NotFoundError} */
  create(swap: Omit<Swap, 'id' | 'state' | 'undoUntil'>, change: Change): Promise<Swap>;
  /**
   * Who takes a swap is on call instead of the asker, in the same transaction; `undone` within ten minutes, it is asked again.
   *
   * @param taker null: whom it was offered to
   * @throws {NotFoundError} @throws {SwapAnsweredError}
   */
  answer(id: string, answer: SwapAnswer, taker: PersonId | null, change: Change): Promise<Swap>;
}

export function createSwapStore(db: Kysely<ServiceTables>): SwapStore {
  const find = async (id: string, reader = db) => {
    const row =
      findTimeOfId('swap', id) &&
      (await reader.selectFrom('schedule_swaps').selectAll().where('id', '=', id).executeTakeFirst());
    return row ? toSwap(row) : null;
  };
  return {
    find: (id) => find(id),

    async list(scheduleId, now) {
      const { rows } = await sql<Selectable<ScheduleSwapsTable>>`
        select * from schedule_swaps where schedule_id = ${scheduleId} and ends_at > ${now} order by starts_at, id
      `.execute(db);
      return rows.map(toSwap);
    },

    create: ({ scheduleId, from, to, asker, taker }, change) =>
      db.transaction().execute(async (tx) => {
        const { now } = change;
        await lockSchedule(tx, scheduleId);
        const row = {
          id: createId('swap', now),
          schedule_id: scheduleId,
          starts_at: from > now ? from : now,
          ends_at: to,
          asker,
          taker,
          offered_to: taker,
          state: 'asked' as const,
          created_at: now,
          override_id: null,
          answered_at: null,
        };
        await tx.insertInto('schedule_swaps').values(row).execute();
        await recordChange(tx, 'swap-asked', scheduleId, change, null);
        return toSwap(row);
      }),

    answer: (id, answer, taker, change) =>
      db.transaction().execute(async (tx) => {
        const known = await find(id, tx);
        if (known === null) {
          throw new NotFoundError('swap', id);
        }
        await lockSchedule(tx, known.scheduleId);
        const row = await tx.selectFrom('schedule_swaps').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
        const swap = await (answer === 'undone' ? undo(tx, row, change) : settle(tx, row, answer, taker, change));
        await tx.updateTable('schedule_swaps').set(swap).where('id', '=', id).execute();
        await recordChange(tx, `swap-${answer}`, row.schedule_id, change, null);
        return toSwap({ ...row, ...swap });
      }),
  };
}

type Row = Selectable<ScheduleSwapsTable>;
type Answered = Pick<Row, 'state' | 'taker' | 'override_id' | 'answered_at'>;

async function settle(
  tx: Transaction<ServiceTables>,
  row: Row,
  state: Exclude<SwapAnswer, 'undone'>,
  person: PersonId | null,
  change: Change,
): Promise<Answered> {
  if (row.state !== 'asked' || row.ends_at <= change.now) {
    throw new SwapAnsweredError(row.state === 'asked' ? 'expired' : row.state);
  }
  const taker = person ?? row.taker;
  const instead = { from: row.starts_at, to: row.ends_at, person: taker, replaces: row.asker, reason: null };
  const override = state === 'taken' ? await insertOverride(tx, row.schedule_id, instead, change) : null;
  return { state, taker, override_id: override?.id ?? null, answered_at: change.now };
}

/** The asker has the time again, and asks for it as before. */
async function undo(tx: Transaction<ServiceTables>, row: Row, { now }: Change): Promise<Answered> {
  if (row.state !== 'taken' || row.override_id === null || (undoUntilOf(row) ?? now) <= now) {
    throw new SwapAnsweredError(row.state === 'asked' ? 'expired' : row.state);
  }
  await endOverrideNow(tx, row.override_id, now);
  return { state: 'asked', taker: row.offered_to, override_id: null, answered_at: null };
}

function undoUntilOf({ state, answered_at: at }: Row): Date | null {
  return state === 'taken' && at !== null ? addMinutes(at, UNDO_MINUTES) : null;
}

function toSwap(row: Selectable<ScheduleSwapsTable>): Swap {
  const { id, schedule_id: scheduleId, starts_at: from, ends_at: to, asker, taker, state } = row;
  return { id, scheduleId, from, to, asker, taker, state, undoUntil: undoUntilOf(row) };
}
