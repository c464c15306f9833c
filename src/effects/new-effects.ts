import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { prepared } from '../database/prepared.ts';

/** Upper bound for how long an effect waits. */
export const LONGEST_WAIT_MS = 24 * 60 * 60_000;

/**
 * Not settled, where an effect is found by what identifies it. Written as `is null`, it would make the planner read the index
 * of all that is due: it knows few of these from quiet times, and there are many when it matters.
 */
export const IS_OPEN = sql<boolean>`coalesce(effects.settled_at, 'infinity') = 'infinity'`;

/** What is to be done outside the database. There is one for each kind, subject and detail, for ever. */
export interface NewEffect {
  readonly kind: string;
  /** What it is about, such as the id of an incident. */
  readonly subject: string;
  /** Tells effects of one kind and subject apart, such as the id of a person. Absent: there is one. */
  readonly detail?: string;
  readonly data: object;
  /** It is due again whenever its subject changes (`renewKeptTrue`). Absent: it is done once. */
  readonly isKeptTrue?: boolean;
  /** It is done again if one with other data is there. Absent: the first one stays. */
  readonly replaces?: boolean;
  /** Effects of one lane are carried out one after another, and delay those of no other lane. Absent: that of its target. */
  readonly lane?: string;
  /** Absent: it is due at once. */
  readonly dueInMs?: number;
}

/** See `KeptEffects.keep`, in a transaction of the caller. */
export async function keepEffects<Tables>(db: Kysely<Tables>, effects: readonly NewEffect[]): Promise<void> {
  let rest = effects;
  while (rest.length > 0) {
    const round = new Map<string, NewEffect>();
    const later: NewEffect[] = [];
    for (const effect of rest) {
      const { kind, subject, detail = '', replaces = false } = effect;
      // A statement keeps each effect once, and either replaces all or none.
      const key = JSON.stringify([kind, subject, detail]);
      const isAlike = replaces === (rest[0]?.replaces ?? false);
      if (isAlike && !round.has(key)) {
        round.set(key, effect);
      } else {
        later.push(effect);
      }
    }
    await keepAlike(db, [...round.values()], rest[0]?.replaces ?? false);
    rest = later;
  }
}

async function keepAlike<Tables>(db: Kysely<Tables>, effects: readonly NewEffect[], replaces: boolean): Promise<void> {
  const rows = effects.map(({ kind, subject, detail = '', lane = '', data, isKeptTrue = false, dueInMs = 0 }) => {
    return {
      kind,
      subject,
      detail,
      lane,
      data,
      is_kept_true: isKeptTrue,
      due_in_ms: Math.min(dueInMs, LONGEST_WAIT_MS),
    };
  });
  await sql`
    ${prepared('keep-effects')} insert into effects (kind, subject, detail, lane, data, is_kept_true, due_at)
    select kind, subject, detail, lane, data, is_kept_true, clock_now() + due_in_ms * interval '1 millisecond'
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (kind text, subject text, detail text, lane text,
      data jsonb, is_kept_true boolean, due_in_ms double precision)
    on conflict (subject, kind, detail) do update
      set data = excluded.data, lane = excluded.lane, due_at = excluded.due_at, settled_at = null, outcome = null, is_refused = false
      where effects.is_refused or ${replaces} and effects.data <> excluded.data`.execute(db);
}

/** Does not let an effect wait any longer. One that is just being settled has begun, and is left alone. */
export async function bringForward<Tables>(
  tx: Transaction<Tables>,
  { kind, subject, detail = '' }: Pick<NewEffect, 'kind' | 'subject' | 'detail'>,
): Promise<void> {
  await sql`
    update effects set due_at = least(due_at, clock_now())
    where id = (
      select id from effects
      where kind = ${kind} and subject = ${subject} and detail = ${detail} and ${IS_OPEN}
      for update skip locked)`.execute(tx);
}

/** Makes the effects about a subject that are kept true due again. */
export function renewKeptTrue(subject: string, condition: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`
    update effects set due_at = clock_now(), settled_at = null
    where subject = ${subject} and is_kept_true and not is_refused and ${condition}`;
}
