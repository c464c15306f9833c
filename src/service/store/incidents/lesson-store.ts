import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { type Actor, nameOf } from '../../../contract/actor.ts';
import { addDays } from '../../../runtime/dates.ts';
import { createId } from '../../core/ids.ts';
import type { Incident } from '../../core/incident.ts';
import { record } from '../../core/incident-changes.ts';
import { describeTaught, LESSON_DAYS, type Lesson, type Taught } from '../../core/lesson.ts';
import { appendDecision } from '../../log/log-table.ts';
import type { LessonsTable } from '../schema/incident-columns.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { lockWriters } from '../shared/signal-state.ts';
import { changeIncident } from './change-incident.ts';

type Tx = Transaction<ServiceTables>;

/** A lesson as people see it. */
export interface ShownLesson {
  readonly id: string;
  /** Number and title of the incident that was closed, and its resolution note. */
  readonly number: number;
  readonly title: string;
  readonly note: string | null;
  /** What counts less, see `describeTaught`. */
  readonly text: string;
  readonly by: string | null;
  readonly at: Date;
  readonly until: Date;
}

/** What people taught by closing incidents as "not a problem". Correlation gets it by its log. */
export interface LessonStore {
  /** Those that hold, newest first. */
  list(now: Date): Promise<ShownLesson[]>;
  /** The evidence counts in full again. @returns false: there is no such lesson any more */
  forget(id: string, actor: Actor, now: Date): Promise<boolean>;
}

export function createLessonStore(db: Kysely<ServiceTables>): LessonStore {
  return {
    async list(now) {
      const { rows } = await sql<Row & { title: string; note: string | null }>`
        ${selectLessons} and until > ${now} order by lessons.created_at desc, lessons.id desc
      `.execute(db);
      return rows.map(
        ({ id, number, title, note, taught, created_by: by, created_by_id: byId, created_at, until }) => ({
          id,
          number: Number(number),
          title,
          note,
          text: describeTaught(taught),
          by: by === null ? null : nameOf({ by, byId }),
          at: created_at,
          until,
        }),
      );
    },

    forget: (id, actor, now) =>
      db.transaction().execute(async (tx) => {
        await lockWriters(tx);
        const row = await tx
          .updateTable('lessons')
          .set({ forgotten_at: now })
          .where('id', '=', id)
          .where('forgotten_at', 'is', null)
          .where('until', '>', now)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) {
          return false;
        }
        const moment = { at: now, event: 'forgotten', ...actor, text: describeTaught(row.taught) } as const;
        const { after } = await changeIncident(tx, row.incident_id, (before) => record(before, moment));
        await appendDecision(tx, after.system, { kind: 'forget', at: now.getTime(), ids: [id] });
        return true;
      }),
  };
}

type Row = Selectable<LessonsTable> & { readonly number: string };

const selectLessons = sql`
  select lessons.*, number, title, resolution_note as note
  from lessons join incidents on incidents.id = incident_id
  where forgotten_at is null
`;

/** Stores what the incident taught. Needs the lock of the writers. */
export async function teachFrom(
  tx: Tx,
  { id: incidentId, number, system, ordinal }: Incident,
  taughts: readonly Taught[],
  teacher: Actor | null,
  now: Date,
): Promise<void> {
  if (taughts.length === 0) {
    return;
  }
  const until = addDays(now, LESSON_DAYS);
  const lessons = taughts.map((taught) => ({ id: createId('les', now), taught }));
  await tx
    .insertInto('lessons')
    .values(
      lessons.map(({ id, taught }) => ({
        id,
        incident_id: incidentId,
        taught: JSON.stringify(taught),
        created_by: teacher?.by ?? null,
        created_by_id: teacher?.byId ?? null,
        created_at: now,
        until,
      })),
    )
    .execute();
  const about = { incident: number, at: now.getTime(), until: until.getTime() };
  await appendDecision(tx, system, {
    kind: 'teach',
    at: now.getTime(),
    lessons: lessons.map((lesson) => ({ ...lesson, ...about })),
    ordinal,
  });
}

/**
 * Takes back what the incident taught: that it was no problem, or its root. Needs the lock of the writers.
 */
export async function forgetFrom(
  tx: Tx,
  { id, system }: Pick<Incident, 'id' | 'system'>,
  what: 'no_problem' | 'root',
  now: Date,
): Promise<void> {
  const rows = await tx
    .updateTable('lessons')
    .set({ forgotten_at: now })
    .where('incident_id', '=', id)
    .where(sql`taught ->> 'kind'`, what === 'root' ? '=' : '<>', 'root')
    .where('forgotten_at', 'is', null)
    .returning('id')
    .execute();
  if (rows.length > 0) {
    await appendDecision(tx, system, { kind: 'forget', at: now.getTime(), ids: rows.map((row) => row.id) });
  }
}

/** For correlation of a system that starts with an empty state: all that hold, oldest first. */
export async function readLessons(db: Kysely<ServiceTables>, system: string): Promise<Lesson[]> {
  const { rows } = await sql<Row>`
    ${selectLessons} and system = ${system} and until > clock_now() order by lessons.created_at, lessons.id
  `.execute(db);
  return rows.map(({ id, number, taught, created_at: at, until }) => ({
    id,
    taught,
    incident: Number(number),
    at: at.getTime(),
    until: until.getTime(),
  }));
}

/** Who taught them, by their ids. Correlation does not know it, so that its log and its state name nobody. */
export async function readTeachers(
  db: Kysely<ServiceTables>,
  lessonIds: readonly string[],
): Promise<ReadonlyMap<string, Actor>> {
  if (lessonIds.length === 0) {
    return new Map();
  }
  const { rows } = await sql<{ id: string; by: string; byId: string | null }>`
    select id, created_by as by, created_by_id as "byId" from lessons
    where id = any(${lessonIds}::text[]) and created_by is not null
  `.execute(db);
  return new Map(rows.map(({ id, ...actor }) => [id, actor]));
}
