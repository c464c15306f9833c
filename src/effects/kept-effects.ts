import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { fromNow, isDue } from '../database/lease.ts';
import { prepared } from '../database/prepared.ts';
import { batched } from '../runtime/batched.ts';
import { IS_OPEN, keepEffects, LONGEST_WAIT_MS, type NewEffect } from './new-effects.ts';
import { LEASE_MS } from './renewal.ts';

/** How long several effects that are stored together wait for a lock. Then each is stored alone, and waits alone. */
const LONGEST_LOCK_MS = 50;

/** Effects of one kind that a process can take. */
export interface Wanted {
  readonly kind: string;
  readonly target: string;
  /** How many more effects of the target it can carry out: the same for all its kinds. */
  readonly places: number;
}

/** What a process carries out already. */
export interface Busy {
  readonly target: string;
  readonly lane: string;
}

/** An effect that this process holds. */
export interface KeptEffect {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly detail: string;
  readonly lane: string;
  readonly data: unknown;
  /** Failed attempts so far. */
  readonly failures: number;
  /** Since when a call may have reached the target; null: there was none. */
  readonly attemptedAt: Date | null;
  /** Since when it is due: an effect that becomes due again while it is carried out stays due. */
  readonly dueSince: string;
  /** Identifies the claim. */
  readonly lease: string;
}

/** What becomes of an effect that was carried out, or tried. */
export type End<Tables> =
  | {
      /** It is over. `isRefused`: it had no effect, and may be asked for again. */
      readonly outcome: object;
      readonly isRefused?: boolean;
      /** What becomes due in the same transaction. */
      readonly follow?: readonly NewEffect[];
      /** `together`: for several effects that end at the same time by one call. */
      readonly also?: ((tx: Transaction<Tables>) => Promise<void>) | Together<Tables>;
    }
  | {
      readonly againInMs: number;
      /** Replaces the data, and forgets the attempt. Absent: both stay. */
      readonly data?: object;
      /** Absent: nothing failed; it waits for something else. */
      readonly error?: string;
      /** Everything for the same target waits as long: it asked for a pause. */
      readonly pausesTarget?: boolean;
      /** In place of its lane. */
      readonly lane?: string;
    };

/** What is stored with the end of an effect, in the same way for all that have the same `store`. See `together`. */
export interface Together<Tables> {
  readonly store: (tx: Transaction<Tables>, given: readonly never[]) => Promise<void>;
  readonly given: unknown;
}

export function together<Tables, Given>(
  store: (tx: Transaction<Tables>, given: readonly Given[]) => Promise<void>,
  given: Given,
): Together<Tables> {
  return { store, given };
}

export interface EffectState {
  /** How it ended; null: it did not yet. */
  readonly outcome: unknown;
  readonly isRefused: boolean;
  /** Why it is tried again; null: nothing failed. */
  readonly error: string | null;
}

/** Effects, stored until they are settled. Those of a process that dies are taken over when its lease ends. */
export interface KeptEffects<Tables> {
  /** Stores effects. One that exists stays as it is, unless it was refused or is replaced. */
  keep(effects: readonly NewEffect[]): Promise<void>;
  /** null: there is no such effect. */
  stateOf(kind: string, subject: string): Promise<EffectState | null>;
  /** Those of these kinds that failed and are tried again. */
  failing(
    kinds: readonly string[],
  ): Promise<readonly { readonly kind: string; readonly subject: string; readonly error: string }[]>;
  /** The subject of a settled effect whose outcome contains this; null: there is none. */
  subjectOf(kind: string, outcome: object): Promise<string | null>;
  /**
   * Leases the effects of each target that have been due longest: one for each place, each of another lane, none of a busy
   * one. `isMore`: places are left, and what was found first may have hidden other lanes.
   */
  claim(
    wanted: readonly Wanted[],
    busy?: readonly Busy[],
  ): Promise<readonly (KeptEffect & { readonly isMore: boolean })[]>;
  /** Lets all effects of these kinds wait. */
  pause(kinds: readonly string[], ms: number): Promise<void>;
  /** Prolongs the leases of exactly these claims, but of those that are just being stored: a renewal waits for nothing. */
  renew(held: readonly KeptEffect[]): Promise<void>;
  /** Stores that a call may reach the target from now on. @returns false: another process has taken it over */
  begin(effect: KeptEffect): Promise<boolean>;
  /** @returns false: another process has taken it over */
  end(effect: KeptEffect, end: End<Tables>): Promise<boolean>;
}

/** The table, in the schema of the caller, which has `clock_now()`. */
export const createEffectsTable = sql`
  create table effects (
    id uuid primary key default gen_random_uuid(),
    kind text not null,
    subject text not null,
    detail text not null,
    lane text not null default '',
    data jsonb not null,
    due_at timestamptz not null default clock_now(),
    failures integer not null default 0,
    attempted_at timestamptz,
    leased_until timestamptz,
    lease bigint not null default 0,
    settled_at timestamptz,
    outcome jsonb,
    is_refused boolean not null default false,
    last_error text,
    is_kept_true boolean not null,
    unique (subject, kind, detail)
  )`;

export const createEffectsIndex = sql`create index effects_due on effects (due_at) where settled_at is null`;

/** In place of `effects_due`. */
export const createEffectsIndexByKind = sql`create index effects_due_by_kind on effects (kind, due_at) where settled_at is null`;

export function createKeptEffects<Tables>(db: Kysely<Tables>): KeptEffects<Tables> {
  const endAlone = async (ended: Settled<Tables>) =>
    (await db.transaction().execute((tx) => settleAll(tx, [ended]))).includes(true);
  const endTogether = batched<Settled<Tables>, boolean>(
    (all) => withoutWaiting(db, (tx) => settleAll(tx, all)),
    endAlone,
  );

  return {
    keep: (effects) => keepEffects(db, effects),

    async stateOf(kind, subject) {
      const { rows } = await sql<EffectState>`
        select case when settled_at is not null then outcome end as outcome, is_refused as "isRefused", last_error as error
        from effects where kind = ${kind} and subject = ${subject}`.execute(db);
      return rows[0] ?? null;
    },

    async failing(kinds) {
      const { rows } = await sql<{ kind: string; subject: string; error: string }>`
        select kind, subject, last_error as error from effects
        where kind = any(${kinds}::text[]) and settled_at is null and last_error is not null
        order by kind, subject`.execute(db);
      return rows;
    },

    async subjectOf(kind, outcome) {
      const { rows } = await sql<{ subject: string }>`
        select subject from effects where kind = ${kind} and outcome @> ${JSON.stringify(outcome)}::jsonb`.execute(db);
      return rows[0]?.subject ?? null;
    },

    async claim(wanted, busy = []) {
      const { rows } = await claimDue(wanted, busy).execute(db);
      return rows;
    },

    async pause(kinds, ms) {
      await sql`
        update effects set due_at = greatest(due_at, ${fromNow(Math.min(ms, LONGEST_WAIT_MS))})
        where settled_at is null and kind = any(${kinds}::text[]) and ${isDue('leased_until', LEASE_MS)}`.execute(db);
    },

    async renew(held) {
      await sql`
        ${prepared('renew-effects')} update effects set leased_until = ${fromNow(LEASE_MS)}
        where id in (
          select id from effects join ${claimsOf(held)} on ${IS_HELD} for update of effects skip locked
        )`.execute(db);
    },

    begin: batched(
      (all) => withoutWaiting(db, (tx) => beginAll(tx, all)),
      async (effect) => (await beginAll(db, [effect])).includes(true),
    ),

    async end(effect, end) {
      if ('outcome' in end) {
        return typeof end.also === 'function' ? endAlone({ effect, end }) : endTogether({ effect, end });
      }
      const { numAffectedRows } = await postpone(effect, end).execute(db);
      return numAffectedRows === 1n;
    },
  };
}

/** A transaction for several effects gives up where it would wait for another one, so that none is late because of another. */
export function withoutWaiting<Tables, Result>(db: Kysely<Tables>, work: (tx: Transaction<Tables>) => Promise<Result>) {
  return db.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = ${sql.lit(LONGEST_LOCK_MS)}`.execute(tx);
    return work(tx);
  });
}

async function beginAll<Tables>(db: Kysely<Tables>, all: readonly KeptEffect[]): Promise<boolean[]> {
  const { rows } = await sql<{ id: string }>`
    ${prepared('begin-effects')} update effects set attempted_at = coalesce(attempted_at, clock_now())
    from ${claimsOf(all)} where ${IS_HELD} returning effects.id`.execute(db);
  return whichOf(all, rows);
}

interface Settled<Tables> {
  readonly effect: KeptEffect;
  readonly end: Extract<End<Tables>, { outcome: object }>;
}

/** @returns for each whether this process still held it */
async function settleAll<Tables>(tx: Transaction<Tables>, all: readonly Settled<Tables>[]): Promise<boolean[]> {
  const effects = all.map(({ effect }) => effect);
  const outcomes = JSON.stringify(all.map(({ end: { outcome, isRefused = false } }) => ({ outcome, isRefused })));
  const { rows } = await sql<{ id: string }>`
    ${prepared('settle-effects')} update effects set outcome = how.value->'outcome', is_refused = (how.value->'isRefused')::boolean,
      leased_until = null, failures = 0, last_error = null, attempted_at = null,
      settled_at = case when due_at = mine.due_since then clock_now() end
    from ${claimsOf(effects)} join jsonb_array_elements(${outcomes}::jsonb) with ordinality as how (value, place) using (place)
    where ${IS_HELD} returning effects.id`.execute(tx);
  const isMine = whichOf(effects, rows);
  const settled = all.flatMap(({ end }, index) => (isMine[index] === true ? [end] : []));
  await keepEffects(
    tx,
    settled.flatMap(({ follow = [] }) => follow),
  );
  const stored = settled.flatMap(({ also }) => (typeof also === 'object' ? [also] : []));
  for (const [store, alike] of Map.groupBy(stored, ({ store }) => store)) {
    await store(
      tx,
      alike.map(({ given }) => given as never),
    );
  }
  for (const { also } of settled) {
    await (typeof also === 'function' ? also(tx) : undefined);
  }
  return isMine;
}

/** `mine`: claims by their place in the list. */
function claimsOf(all: readonly KeptEffect[]): RawBuilder<unknown> {
  const [ids, leases, since] = [
    all.map(({ id }) => id),
    all.map(({ lease }) => lease),
    all.map((each) => each.dueSince),
  ];
  return sql`unnest(${ids}::uuid[], ${leases}::bigint[], ${since}::timestamptz[])
    with ordinality as mine (held_id, held_lease, due_since, place)`;
}

/** A renewal may come right after its claim was given back: what nobody holds would wait for the end of that lease. */
const IS_HELD = sql<boolean>`effects.id = mine.held_id and effects.lease = mine.held_lease
  and effects.leased_until is not null and ${IS_OPEN}`;

function whichOf(all: readonly KeptEffect[], found: readonly { readonly id: string }[]): boolean[] {
  const ids = new Set(found.map(({ id }) => id));
  return all.map(({ id }) => ids.has(id));
}

/** Looks for each kind by itself, so that what is due at a target without a place costs nothing. */
function claimDue(wanted: readonly Wanted[], busy: readonly Busy[]) {
  const [kinds, targets, places] = [
    wanted.map(({ kind }) => kind),
    wanted.map(({ target }) => target),
    wanted.map((each) => each.places),
  ];
  const [busyTargets, busyLanes] = [busy.map(({ target }) => target), busy.map(({ lane }) => lane)];
  return sql<KeptEffect & { readonly isMore: boolean }>`
    ${prepared('claim-effects')} with due as (
      select target collate "C" as target, places, nth, each.*
      from unnest(${kinds}::text[], ${targets}::text[], ${places}::int[]) with ordinality as wanted (kind, target, places, nth)
      cross join lateral (
        select id, lane collate "C" as lane, due_at from effects
        where settled_at is null and effects.kind = wanted.kind and ${isDue('due_at', LONGEST_WAIT_MS)}
          and ${isDue('leased_until', LEASE_MS)}
          and (target, lane) not in (select * from unnest(${busyTargets}::text[], ${busyLanes}::text[]))
        order by due_at limit places for update skip locked
      ) as each
    ), first_of_lane as (
      select distinct on (target, lane) * from due order by target, lane, due_at, nth
    ), in_order as (
      select id, places, row_number() over (partition by target order by due_at, nth) as place from first_of_lane
    )
    update effects set leased_until = ${fromNow(LEASE_MS)}, lease = lease + 1
    where id = any(array(select id from in_order where place <= places))
    returning id, kind, subject, detail, lane, data, failures, attempted_at as "attemptedAt", due_at::text as "dueSince",
      lease::text,
      exists (select from due group by target, places having count(*) >= places and count(distinct lane) < places) as "isMore"`;
}

function isHeld({ id, lease }: KeptEffect): RawBuilder<boolean> {
  return sql<boolean>`id = ${id} and lease = ${lease} and ${IS_OPEN}`;
}

function postpone(effect: KeptEffect, { againInMs, data, error, lane }: Exclude<End<never>, { outcome: object }>) {
  const isChanged = data !== undefined;
  return sql`
    update effects set leased_until = null, lane = ${lane ?? sql.ref('lane')},
      due_at = case when due_at = ${effect.dueSince}::timestamptz then ${fromNow(Math.min(againInMs, LONGEST_WAIT_MS))} else due_at end,
      data = ${isChanged ? JSON.stringify(data) : sql.ref('data')}, last_error = ${error ?? null},
      failures = ${error === undefined ? effect.failures : effect.failures + 1},
      attempted_at = ${isChanged ? sql`null` : sql`attempted_at`}
    where ${isHeld(effect)}`;
}
