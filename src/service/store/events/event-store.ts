import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import {
  type IncidentEventType,
  type IntegrationEventType,
  type PageEventType,
  SCHEDULE_GAPS,
  SIGN_IN_REQUESTED,
} from '../../../contract/events.ts';
import { prepared } from '../../../database/prepared.ts';
import { renewKeptTrue } from '../../../effects/new-effects.ts';
import { subDays } from '../../../runtime/dates.ts';
import { createId } from '../../core/ids.ts';
import type { Incident } from '../../core/incident.ts';
import { eventIncidentOf, readSnapshot } from '../../core/incident-event.ts';
import type { IntegrationState, ServiceEvent } from '../../core/integration-event.ts';
import type { PageNews } from '../../core/page-event.ts';
import type { ScheduleGaps } from '../../core/schedule-event.ts';
import type { SignInRequest, StreamEvent } from '../../core/sign-in-request.ts';
import { followPages } from '../pages/follow-pages.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { toStorableJson } from '../shared/json.ts';

/** How long events are kept. A reader that returns within this time misses nothing. */
const RETENTION_DAYS = 7;

/** The notification channel of committed events. */
export const EVENTS_CHANNEL = 'tocsin_events';

/** What the effects are about that are due after each event. */
export const EVENTS_SUBJECT = 'events';

/** Wakes the streams and the webhooks of all processes after the commit. */
const NOTIFIED = sql`pg_notify(${sql.lit(EVENTS_CHANNEL)}, '')`;

/** Columns of which an event has one: what it is about. */
const CONTENTS = ['incident', 'integration', 'sign_in', 'page', 'schedule'] as const;

/** A newer version, which runs beside this one during an upgrade, may write events of other kinds. */
const IS_KNOWN = sql<boolean>`num_nonnulls(${sql.join(CONTENTS.map((content) => sql.ref(content)))}) = 1`;

export interface EventStore {
  /** Events after this one, oldest first, without those that only a newer version can read. */
  listAfter(sequence: bigint, limit: number): Promise<StreamEvent[]>;
  /** Positions from which a reader can continue: from the one before the oldest event, to the last event. */
  findBounds(): Promise<{ readonly oldest: bigint; readonly last: bigint }>;
  /** Notifies those who can hand a sign-in link over that somebody asks for one. */
  requestSignIn(request: SignInRequest, at: Date): Promise<void>;
  /** Asks the bots to wake somebody, or to say that it is over. */
  tellBots(type: PageEventType, page: PageNews, at: Date): Promise<void>;
  /** Removes expired events. */
  prune(now: Date): Promise<void>;
}

/**
 * Writes events in the transaction of the changes, and begins and ends the pages of what changed.
 *
 * Sequence numbers are assigned under a row lock that is held until the end of the transaction. So they have the order of
 * the commits and no gaps, and a reader never misses an event below its position. To avoid deadlocks, call this after
 * all other locks of the transaction are taken.
 */
export async function appendEvents(
  tx: Transaction<ServiceTables>,
  changes: readonly { readonly type: IncidentEventType; readonly incident: Incident }[],
  at: Date,
): Promise<void> {
  await followPages(
    tx,
    changes.map(({ incident }) => incident),
    at,
  );
  const events = changes.map(({ type, incident }) => ({ type, content: eventIncidentOf(type, incident) }));
  await append(tx, 'incident', events, at);
}

/** The same for a change of an integration. */
export async function appendIntegrationEvent(
  tx: Transaction<ServiceTables>,
  type: IntegrationEventType,
  integration: IntegrationState,
  at: Date,
): Promise<void> {
  await append(tx, 'integration', [{ type, content: integration }], at);
}

/** The same for the gaps of a schedule. */
export async function appendScheduleEvent(tx: Transaction<ServiceTables>, gaps: ScheduleGaps, at: Date): Promise<void> {
  await append(tx, 'schedule', [{ type: SCHEDULE_GAPS, content: gaps }], at);
}

/** @param about the column with the content, which says what the events are about */
async function append(
  db: Kysely<ServiceTables>,
  about: (typeof CONTENTS)[number],
  events: readonly { readonly type: string; readonly content: object }[],
  at: Date,
): Promise<void> {
  if (events.length === 0) {
    return;
  }
  const ids = events.map(() => createId('evt', at));
  const types = events.map(({ type }) => type);
  const contents = events.map(({ content }) => toStorableJson(content));
  await sql`
    ${prepared('append-events')}
    with taken as (
      update event_sequence set last = last + ${events.length}::bigint
      returning last - ${events.length}::bigint as before
    ), queue as (${renewKeptTrue(EVENTS_SUBJECT, sql`exists (select from taken)`)})
    insert into events (sequence, id, type, occurred_at, ${sql.ref(about)})
    select taken.before + event.place, event.id, event.type, ${at}, event.content
    from taken, unnest(${ids}::text[], ${types}::text[], ${contents}::jsonb[])
      with ordinality as event(id, type, content, place)
    returning ${NOTIFIED}
  `.execute(db);
}

/** For changes that have no event. */
export async function notifyReaders(tx: Transaction<ServiceTables>): Promise<void> {
  await sql`select ${NOTIFIED}`.execute(tx);
}

export function createEventStore(db: Kysely<ServiceTables>): EventStore {
  return {
    async listAfter(sequence, limit) {
      const rows = await db
        .selectFrom('events')
        .selectAll()
        .where('sequence', '>', String(sequence))
        .where(IS_KNOWN)
        .orderBy('sequence')
        .limit(limit)
        .execute();
      return rows.map(toStreamEvent);
    },

    async findBounds() {
      const { rows } = await sql<{ oldest: string; last: string }>`
        select last, coalesce((select min(sequence) - 1 from events), last) as oldest from event_sequence
      `.execute(db);
      return { oldest: BigInt(rows[0]?.oldest ?? 0), last: BigInt(rows[0]?.last ?? 0) };
    },

    requestSignIn: (request, at) => append(db, 'sign_in', [{ type: SIGN_IN_REQUESTED, content: request }], at),
    tellBots: (type, page, at) => append(db, 'page', [{ type, content: page }], at),

    async prune(now) {
      // No gaps, even if the clocks of two processes differ.
      await sql`
        delete from events
        where sequence <= (select max(sequence) from events where occurred_at < ${subDays(now, RETENTION_DAYS)})
      `.execute(db);
    },
  };
}

function toStreamEvent(row: Selectable<ServiceTables['events']>): StreamEvent {
  const event = { sequence: BigInt(row.sequence), id: row.id, occurredAt: row.occurred_at };
  if (row.sign_in !== null) {
    return { ...event, type: SIGN_IN_REQUESTED, signIn: row.sign_in };
  }
  return row.page === null ? toEvent(row) : { ...event, type: row.type as PageEventType, page: row.page };
}

/** @param row of an event that webhooks can get */
export function toEvent(row: Selectable<ServiceTables['events']>): ServiceEvent {
  const event = { sequence: BigInt(row.sequence), id: row.id, occurredAt: row.occurred_at };
  if (row.schedule !== null) {
    return { ...event, type: SCHEDULE_GAPS, schedule: row.schedule };
  }
  return row.incident === null
    ? { ...event, type: row.type as IntegrationEventType, integration: row.integration as IntegrationState }
    : { ...event, type: row.type as IncidentEventType, incident: readSnapshot(row.incident) }; // the table's check
}
