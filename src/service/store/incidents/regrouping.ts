import { type Kysely, sql, type Transaction } from 'kysely';
import type { Actor } from '../../../contract/actor.ts';
import { NotFoundError } from '../../core/errors.ts';
import type { Incident, IncidentRecord } from '../../core/incident.ts';
import { demandMerged, mergeInto, NOBODY, record, splitFrom, takeIn } from '../../core/incident-changes.ts';
import type { KnownIncident } from '../../core/known-incident.ts';
import { noProblemsIn, rootLessonIn } from '../../core/lesson.ts';
import { appendDecision } from '../../log/log-table.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { lockWriters } from '../shared/signal-state.ts';
import { changeIncident, type IncidentChange } from './change-incident.ts';
import { moveFailures } from './failure-counts.ts';
import { matches } from './incident-reference.ts';
import { type IncidentRow, selectIncidents, toIncident, toRecord } from './incident-row.ts';
import { findHolder, moveSignals, moveSignalsBack, recount } from './incident-writer.ts';
import { forgetFrom, teachFrom } from './lesson-store.ts';
import { readTimeline } from './timeline.ts';

type Tx = Transaction<ServiceTables>;

/** Throws when the incident may not be changed, for example because it has changed. */
type Condition = (incident: IncidentRecord) => void;

/**
 * Decisions of people that correlation must follow. They are stored at once and appended to the log of correlation, in
 * the same order.
 */
export interface Regrouping {
  /** @throws {NotFoundError} or what `change` throws */
  reopen(reference: string, change: IncidentChange, now: Date): Promise<IncidentRecord>;
  /**
   * Closes an incident. If it was no problem, correlation learns what it teaches.
   *
   * @throws {NotFoundError} or what `change` throws
   */
  resolve(reference: string, change: IncidentChange, now: Date): Promise<IncidentRecord>;
  /**
   * Changes what people set by hand. From another root, correlation learns; from the root set back, it forgets that.
   *
   * @throws {NotFoundError} or what `change` throws
   */
  setByHand(reference: string, change: IncidentChange, now: Date): Promise<IncidentRecord>;
  /**
   * Makes an incident part of another, which gets its signals.
   *
   * @throws {NotFoundError} or what `mergeInto` and `demand` throw
   */
  merge(reference: string, into: string, actor: Actor, now: Date, demand: Condition): Promise<IncidentRecord>;
  /**
   * Makes a merged incident separate again, with the signals that it had. Correlation never merges the two again.
   *
   * @throws {NotFoundError} or what `splitFrom` and `demand` throw
   */
  split(reference: string, actor: Actor, now: Date, demand: Condition): Promise<IncidentRecord>;
}

export function createRegrouping(db: Kysely<ServiceTables>): Regrouping {
  const locked = <T>(work: (tx: Tx) => Promise<T>) =>
    db.transaction().execute(async (tx) => {
      await lockWriters(tx);
      return work(tx);
    });

  return {
    reopen: (reference, change, now) =>
      locked(async (tx) => {
        const { before, after } = await changeIncident(tx, reference, change);
        if (before.closing !== null && after.closing === null) {
          await forgetFrom(tx, after, 'no_problem', now);
          await appendDecision(tx, after.system, { kind: 'reopen', at: now.getTime(), incident: known(after) });
        }
        return after;
      }),

    resolve: (reference, change, now) =>
      locked(async (tx) => {
        const { before, after } = await changeIncident(tx, reference, change);
        if (before.closing === null && after.closing?.isNoProblem === true) {
          const { by, byId } = after.closing;
          await teachFrom(tx, after, noProblemsIn(after.teachable), by === null ? null : { by, byId }, now);
        }
        return after;
      }),

    setByHand: (reference, change, now) =>
      locked(async (tx) => {
        const { before, after } = await changeIncident(tx, reference, change);
        const root = after.byHand.rootService;
        if (root !== before.byHand.rootService) {
          const { by, byId } = after.timeline.at(-1) ?? { ...NOBODY, byId: null };
          const taught = rootLessonIn(after.teachable, root);
          await forgetFrom(tx, after, 'root', now);
          await teachFrom(tx, after, taught === null ? [] : [taught], by === null ? null : { by, byId }, now);
        }
        return after;
      }),

    merge: (reference, target, actor, now, demand) =>
      locked(async (tx) => {
        const ids = [(await find(tx, reference)).id, (await find(tx, target)).id] as const;
        await lockRows(tx, ids);
        const [gone, into] = [await find(tx, ids[0]), await find(tx, ids[1])]; // somebody may have closed one until then
        // Checks both before anything is changed.
        const { after } = await changeIncident(tx, gone.id, (before) => {
          demand(before);
          return mergeInto(before, into, actor, now);
        });
        const move = { from: gone.id, to: into.id };
        await moveSignals(tx, [move]);
        await moveFailures(tx, [move]);
        await recount(tx, new Map([[into.id, into.rootService]]));
        await changeIncident(tx, into.id, (before) => takeIn(before, gone, actor, now));
        await appendDecision(tx, gone.system, {
          kind: 'merge',
          at: now.getTime(),
          incident: known(gone),
          into: known(into),
        });
        return after;
      }),

    split: (reference, actor, now, demand) =>
      locked(async (tx) => {
        const { id, mergedInto } = await find(tx, reference);
        const from = await find(tx, mergedInto === null ? id : await findHolder(tx, mergedInto));
        await lockRows(tx, [id, from.id]);
        const gone = toRecord(await find(tx, id), await readTimeline(tx, id));
        demand(gone);
        demandMerged(gone);
        await moveSignalsBack(tx, from.id, gone.id);
        await recount(
          tx,
          new Map([
            [gone.id, gone.rootService],
            [from.id, from.rootService],
          ]),
        );
        const { after } = await changeIncident(tx, gone.id, (before) => splitFrom(before, from, actor, now));
        const moment = { at: now, event: 'split', ...actor, text: `#${gone.number}` } as const;
        await changeIncident(tx, from.id, (before) => record(before, moment));
        await appendDecision(tx, after.system, {
          kind: 'split',
          at: now.getTime(),
          incident: known(after),
          from: from.ordinal,
        });
        return after;
      }),
  };
}

/** @throws {NotFoundError} */
async function find(tx: Tx, reference: string): Promise<Incident> {
  const { rows } = await sql<IncidentRow>`${selectIncidents} where ${matches(reference)}`.execute(tx);
  const [row] = rows;
  if (row === undefined) {
    throw new NotFoundError('incident', reference);
  }
  return toIncident(row);
}

/** Locks incidents by number, the order that all transactions use, to avoid deadlocks. */
async function lockRows(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`select from incidents where id = any(${ids}::text[]) order by number for update`.execute(tx);
}

/** What correlation needs to resume an incident that it no longer tracks. */
export function known(incident: Incident): KnownIncident {
  const { ordinal, rootService, found, correlation, openedAt, lastSeenAt, activity, activeSince } = incident;
  const { harm } = correlation;
  return {
    number: ordinal,
    root: correlation.taught_root?.found ?? found.rootService ?? rootService,
    openedAt: openedAt.getTime(),
    lastAt: lastSeenAt.getTime(),
    activity,
    activeSince: activeSince.getTime(),
    ...(harm != null && {
      lost: { requests: harm.requests, total: harm.total, failed: harm.failed, since: Date.parse(harm.since) },
    }),
  };
}
