import { type Kysely, sql, type Transaction } from 'kysely';
import type { Severity } from '../../../contract/resources.ts';
import type { WayKind } from '../../../contract/waking.ts';
import { CLOCK_NOW } from '../../../database/lease.ts';
import { prepared } from '../../../database/prepared.ts';
import { withoutWaiting } from '../../../effects/kept-effects.ts';
import { keepEffects } from '../../../effects/new-effects.ts';
import { batched } from '../../../runtime/batched.ts';
import type { AttemptState, PlannedAttempt } from '../../on-call/waking/attempts.ts';
import type { Ringing } from '../../on-call/waking/bundle.ts';
import type { Position } from '../../on-call/waking/policy.ts';
import { isLastResort, type WakePolicy } from '../../on-call/waking/policy.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { toStorableJson } from '../shared/json.ts';
import { attemptEffect } from './page-effects.ts';

export type Tx = Transaction<ServiceTables>;

/** What messages say of an incident. */
export interface PagedIncident {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly severity: Severity;
  readonly rootService: string;
}

export interface StoredPage {
  readonly id: string;
  /** null: a drill. */
  readonly incident: PagedIncident | null;
  /** Somebody has the incident, and it still fails. */
  readonly isReminder: boolean;
  readonly policy: WakePolicy;
  /** Of the last step that began; its step is -1 while none did. */
  readonly position: Position;
  readonly reachedCycle: number;
  readonly isLive: boolean;
  /** null: nobody. */
  readonly takenBy: string | null;
}

export interface NewAttempt extends PlannedAttempt {
  readonly id: string;
}

/** An attempt, with the address it goes to. */
export interface StoredAttempt extends Position {
  readonly id: string;
  /** null: a test of one way. */
  readonly pageId: string | null;
  readonly personId: string | null;
  readonly wayId: string | null;
  readonly kind: WayKind;
  /** null: the way was removed. */
  readonly address: unknown;
  readonly state: AttemptState;
  readonly dueAt: Date;
  /** When its last call began; null: none did. */
  readonly beganAt: Date | null;
  readonly beganMsAgo: number;
  /** What the provider knows it by; null: not known. */
  readonly reference: string | null;
  /** Calls of which it is not known that nothing arrived. */
  readonly doubts: number;
  readonly listed: readonly string[];
  /** null: it can be used. */
  readonly unusableBecause: string | null;
}

export const selectPages = sql`
  ${prepared('pages')} select pages.id, is_reminder as "isReminder", policy, cycle, step, reached_cycle as "reachedCycle", ended_at is null as "isLive",
    ended_by as "takenBy",
    incidents.id as "incidentId", number, title, severity, root_service as "rootService"
  from pages left join incidents on incidents.id = pages.incident_id`;

export interface PageRow
  extends Pick<StoredPage, 'id' | 'isReminder' | 'policy' | 'reachedCycle' | 'isLive' | 'takenBy'>,
    Position {
  readonly incidentId: string | null;
  readonly number: string;
  readonly title: string;
  readonly severity: Severity;
  readonly rootService: string;
}

/** What was read for each id. */
function inOrderOf<Row>(ids: readonly string[], rows: readonly Row[], idOf: (row: Row) => string): (Row | null)[] {
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  return ids.map((id) => byId.get(id) ?? null);
}

export function toPage(row: PageRow): StoredPage {
  const { id, isReminder, policy, cycle, step, reachedCycle, isLive, takenBy, incidentId, number, title, severity } =
    row;
  const incident =
    incidentId === null
      ? null
      : { id: incidentId, number: Number(number), title, severity, rootService: row.rootService };
  return { id, incident, isReminder, policy, position: { cycle, step }, reachedCycle, isLive, takenBy };
}

/** What the effects of pages read and write. */
export interface PageStore {
  readPage(id: string): Promise<StoredPage | null>;
  readAttempt(id: string): Promise<StoredAttempt | null>;
  /** Those who have answered a page, which several people may have to. */
  findAnswered(pageId: string): Promise<ReadonlySet<string>>;
  /** Whether the way of an attempt asks its person for another page too, which has not ended. */
  isAskedForOthers(attemptId: string): Promise<boolean>;
  /** The other pages for which a person is being woken, and has not answered. */
  listRinging(personId: string, exceptPageId: string): Promise<Ringing[]>;
  readPages(ids: readonly string[]): Promise<StoredPage[]>;
  /**
   * Stores that a call may begin. Either it commits before the acknowledgement does, or it sees that, because both lock
   * the page.
   *
   * @param listed pages that the message lists
   * @returns false: the page has ended, so there is no call
   */
  beginAttempt(id: string, listed: readonly string[]): Promise<boolean>;
}

export function createPageStore(db: Kysely<ServiceTables>): PageStore {
  async function readPages(ids: readonly string[]): Promise<StoredPage[]> {
    if (ids.length === 0) {
      return [];
    }
    const { rows } = await sql<PageRow>`${selectPages} where pages.id = any(${ids}::text[]) order by pages.id`.execute(
      db,
    );
    return rows.map(toPage);
  }

  const ringingFor = batched(async (personIds: readonly string[]) => {
    const { rows } = await sql<Ringing & { readonly personId: string }>`
      ${prepared('ringing')} select person_id as "personId", pages.id as "pageId", severity,
        extract(epoch from ${CLOCK_NOW} - max(began_at))::float8 * 1000 as "rangMsAgo"
      from page_attempts join pages on pages.id = page_id join incidents on incidents.id = incident_id
      where person_id = any(${personIds}::text[]) and page_attempts.state in ('planned', 'sending', 'accepted')
        and ended_at is null
      group by person_id, pages.id, severity order by pages.id
    `.execute(db);
    const ofPerson = Map.groupBy(rows, ({ personId }) => personId);
    return personIds.map((personId): Ringing[] =>
      (ofPerson.get(personId) ?? []).map(({ pageId, severity, rangMsAgo }) => ({ pageId, severity, rangMsAgo })),
    );
  });

  const begin = batched(
    (all: readonly Begun[]) => withoutWaiting(db, (tx) => beginAttempts(tx, all)),
    async (begun) => (await beginAttempts(db, [begun])).includes(true),
  );

  return {
    readPages,

    readPage: batched(async (ids) => inOrderOf(ids, await readPages(ids), ({ id }) => id)),

    readAttempt: batched(async (ids) => {
      const { rows } = await sql<StoredAttempt>`
        ${prepared('attempts')} select attempt.id, page_id as "pageId", cycle, step, attempt.person_id as "personId", way_id as "wayId",
          attempt.kind, coalesce(attempt.address, ways.address) as address, state, due_at as "dueAt", listed,
          began_at as "beganAt", extract(epoch from ${CLOCK_NOW} - began_at)::float8 * 1000 as "beganMsAgo", reference, doubts,
          unusable_because as "unusableBecause"
        from page_attempts as attempt left join ways on ways.id = way_id where attempt.id = any(${ids}::text[])
      `.execute(db);
      return inOrderOf(ids, rows, ({ id }) => id);
    }),

    findAnswered: batched(async (pageIds) => {
      const { rows } = await sql<{ personId: string | null; listed: string[] }>`
        ${prepared('answered')} select person_id as "personId", listed from page_attempts
        where listed && ${pageIds}::text[] and state = 'answered'
      `.execute(db);
      return pageIds.map(
        (pageId) => new Set(rows.flatMap(({ personId, listed }) => (listed.includes(pageId) ? (personId ?? []) : []))),
      );
    }),

    isAskedForOthers: batched(async (ids) => {
      const { rows } = await sql<{ id: string }>`
        ${prepared('asked-for-others')} select distinct own.id
        from page_attempts as own
        join page_attempts as other on other.person_id = own.person_id and other.way_id = own.way_id
          and other.state in ('planned', 'sending', 'accepted') and other.began_at is not null
        join pages on pages.id = other.page_id
        where own.id = any(${ids}::text[]) and other.page_id <> own.page_id and ended_at is null
      `.execute(db);
      const found = new Set(rows.map(({ id }) => id));
      return ids.map((id) => found.has(id));
    }),

    async listRinging(personId, exceptPageId) {
      return (await ringingFor(personId)).filter(({ pageId }) => pageId !== exceptPageId);
    },

    beginAttempt: (id, listed) => begin({ id, listed }),
  };
}
interface Begun {
  readonly id: string;
  readonly listed: readonly string[];
}

async function beginAttempts(db: Kysely<ServiceTables>, all: readonly Begun[]): Promise<boolean[]> {
  const { rows } = await sql<{ id: string }>`
    ${prepared('begin-page-attempts')} with mine as (
      select attempt.id, page_id, array(select jsonb_array_elements_text(given.listed)) as listed
      from unnest(${all.map(({ id }) => id)}::text[], ${all.map((each) => JSON.stringify(each.listed))}::jsonb[]) as given (id, listed)
      join page_attempts as attempt on attempt.id = given.id
    ), locked as (
      select id from pages where id in (select page_id from mine) and ended_at is null order by id for share
    )
    update page_attempts set state = 'sending', began_at = ${CLOCK_NOW}, settled_at = null, detail = null,
      doubts = doubts + 1, listed = mine.listed
    from mine join locked on locked.id = mine.page_id where page_attempts.id = mine.id
    returning page_attempts.id
  `.execute(db);
  const begun = new Set(rows.map(({ id }) => id));
  return all.map(({ id }) => begun.has(id));
}

/** A step that begins, and what the timeline of its incident says of it. */
export interface BegunStep {
  readonly page: Pick<StoredPage, 'id' | 'policy'>;
  readonly position: Position;
  readonly attempts: readonly NewAttempt[];
}

/** What the beginning of steps stores, in the transaction that settles their effects. */
export async function beginSteps(tx: Tx, steps: readonly BegunStep[]): Promise<void> {
  const ids = steps.map(({ page }) => page.id);
  const { rows } = await sql<{ id: string }>`
    ${prepared('lock-begun')} select id from pages where id = any(${ids}::text[]) and ended_at is null order by id for update
  `.execute(tx);
  const live = new Set(rows.map(({ id }) => id));
  const planned = steps.flatMap(({ page, position, attempts }) =>
    attempts.map((attempt) => ({
      ...attempt,
      ...position,
      pageId: page.id,
      state: live.has(page.id) ? 'planned' : 'void',
    })),
  );
  await sql`
    ${prepared('plan-attempts')} insert into page_attempts (id, page_id, cycle, step, person_id, way_id, kind, address, state, due_at)
    select id, "pageId", cycle, step, "personId", "wayId", kind, nullif(address, 'null'), state, ${CLOCK_NOW} + "afterS" * interval '1 second'
    from jsonb_to_recordset(${toStorableJson(planned)}::jsonb) as given (id text, "pageId" text, cycle integer, step integer,
      "personId" text, "wayId" text, kind text, address jsonb, state text, "afterS" double precision)
  `.execute(tx);
  const begun = steps.map(({ page, position }) => {
    const state = isLastResort(page.policy, position) ? 'exhausted' : 'waking';
    return { id: page.id, ...position, state: live.has(page.id) ? state : null };
  });
  await sql`
    ${prepared('begin-steps')} update pages set cycle = given.cycle, step = given.step, state = coalesce(given.state, pages.state)
    from jsonb_to_recordset(${JSON.stringify(begun)}::jsonb) as given (id text, cycle integer, step integer, state text)
    where pages.id = given.id
  `.execute(tx);
  const wanted = steps.flatMap(({ page, attempts }) => (live.has(page.id) ? attempts : []));
  await keepEffects(
    tx,
    wanted.map((attempt) => attemptEffect(attempt, attempt.afterS * 1_000)),
  );
}
