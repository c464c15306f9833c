import { type Kysely, sql, type Transaction } from 'kysely';
import type { SetAsideKind } from '../schema/log-columns.ts';
import type { ServiceTables } from '../schema/tables.ts';

export interface SetAside {
  readonly kind: SetAsideKind;
  /** First and last entry of the log; `last` before `first` means none. */
  readonly first: bigint;
  readonly last: bigint;
  /** Index of the report in its entry; null: all of the entries. */
  readonly report: number | null;
  readonly isPending: boolean;
}

/** What correlation was working on when it failed or took too long. */
export interface Suspect {
  /** The entry of the log; null: unknown, so every entry whose incidents are not stored yet is suspect. */
  readonly sequence: bigint | null;
  /** Index of its report; null: the entry as a whole, for example a tick. */
  readonly report: number | null;
  readonly cause: string;
}

const MAX_ROWS = 1_000;
/** Entries that are kept as they were. */
const MAX_KEPT_ENTRIES = 20;
const MAX_KEPT_BYTES = 1_048_576;
const MAX_CAUSE = 500;

/**
 * Sets the suspect aside. If correlation has not advanced since the last time, the suspect was only the place where the
 * failure showed, so more is set aside: first everything that is not stored yet, then what was learnt since the
 * snapshot, then most of what is known. So a process that starts again always gets further.
 */
export function setAside(db: Kysely<ServiceTables>, partition: string, suspect: Suspect): Promise<readonly SetAside[]> {
  return db.transaction().execute(async (tx) => {
    const { position, snapshotPosition } = await lockPosition(tx, partition);
    const strikes = await countStrikes(tx, partition, position);
    const sequence = suspect.sequence ?? (await findLast(tx, partition, position));
    const isKnown = suspect.sequence !== null;
    const rows = choose({ ...suspect, sequence }, position, snapshotPosition, isKnown ? strikes : strikes + 1);
    for (const row of rows) {
      await insert(tx, partition, row, suspect.cause);
    }
    await prune(tx, partition, snapshotPosition);
    return rows;
  });
}

function choose(
  { sequence, report }: Suspect & { readonly sequence: bigint },
  position: bigint,
  snapshotPosition: bigint,
  strikes: number,
): readonly SetAside[] {
  const learnt = {
    kind: 'learnt',
    first: snapshotPosition + 1n,
    last: position,
    report: null,
    isPending: true,
  } as const;
  if (sequence <= position) {
    return [learnt]; // it was fine when its incidents were stored, and cannot be left out any more
  }
  if (strikes === 0) {
    const kind = report === null ? 'entries' : 'report';
    return [{ kind, first: sequence, last: sequence, report, isPending: false }];
  }
  const all = { kind: 'entries', first: position + 1n, last: sequence, report: null, isPending: false } as const;
  return strikes === 1 ? [all] : [all, learnt];
}

/** Leaves out entries whose bytes are lost. Correlation did not fail, so nothing else is left out, however many there are. */
export function setAsideLost(
  db: Kysely<ServiceTables>,
  partition: string,
  lost: readonly bigint[],
  cause: string,
): Promise<readonly SetAside[]> {
  return db.transaction().execute(async (tx) => {
    const { snapshotPosition } = await lockPosition(tx, partition);
    const rows = lost.map(
      (at) => ({ kind: 'entries', first: at, last: at, report: null, isPending: false }) satisfies SetAside,
    );
    for (const row of rows) {
      await insert(tx, partition, row, cause);
    }
    await prune(tx, partition, snapshotPosition);
    return rows;
  });
}

/** Notes that an update of an incident could not be stored. */
export async function noteLostUpdate(
  tx: Transaction<ServiceTables>,
  partition: string,
  position: bigint,
  cause: string,
): Promise<void> {
  await insert(
    tx,
    partition,
    { kind: 'incident', first: position, last: position, report: null, isPending: false },
    cause,
  );
}

/** Notes that baselines were forgotten. Nothing is left out of the log. */
export async function noteForgotten(db: Kysely<ServiceTables>, partition: string, cause: string): Promise<void> {
  const note = { kind: 'learnt', first: 1n, last: 0n, report: null, isPending: false } as const;
  await db.transaction().execute((tx) => insert(tx, partition, note, cause));
}

/** Lists what concerns log entries after `after`, and what is pending. */
export async function listSetAside(
  db: Kysely<ServiceTables>,
  partition: string,
  after: bigint,
): Promise<readonly SetAside[]> {
  const rows = await db
    .selectFrom('set_aside')
    .select(['kind', 'first', 'last', 'report', 'is_pending'])
    .where('partition', '=', partition)
    .where('kind', '<>', 'incident')
    .where((where) => where.or([where('last', '>', String(after)), where('is_pending', '=', true)]))
    .orderBy('id')
    .execute();
  return rows.map(({ kind, first, last, report, is_pending: isPending }) => ({
    kind,
    first: BigInt(first),
    last: BigInt(last),
    report,
    isPending,
  }));
}

/** Marks pending rows as settled, once a snapshot that leaves them out was stored. */
export async function settleSetAside(tx: Transaction<ServiceTables>, partition: string): Promise<void> {
  await tx
    .updateTable('set_aside')
    .set({ is_pending: false })
    .where('partition', '=', partition)
    .where('is_pending', '=', true)
    .execute();
}

async function lockPosition(tx: Transaction<ServiceTables>, partition: string) {
  const row = await tx
    .selectFrom('correlation')
    .select(['position', 'snapshot_position'])
    .where('partition', '=', partition)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return { position: BigInt(row.position), snapshotPosition: BigInt(row.snapshot_position) };
}

async function findLast(tx: Transaction<ServiceTables>, partition: string, position: bigint): Promise<bigint> {
  const { rows } = await sql<{ last: string | null }>`
    select max(sequence) as last from telemetry_log where partition = ${partition}
  `.execute(tx);
  return BigInt(rows[0]?.last ?? position);
}

/** How often something was set aside since correlation last advanced. */
async function countStrikes(tx: Transaction<ServiceTables>, partition: string, position: bigint): Promise<number> {
  const { rows } = await sql<{ strikes: number }>`
    select count(*)::integer as strikes from set_aside
    where partition = ${partition} and ((kind in ('report', 'entries') and last > ${String(position)}::bigint)
      or (kind = 'learnt' and last = ${String(position)}::bigint))
  `.execute(tx);
  return rows[0]?.strikes ?? 0;
}

async function insert(tx: Transaction<ServiceTables>, partition: string, row: SetAside, cause: string): Promise<void> {
  const isOne = row.kind !== 'incident' && row.first === row.last;
  await sql`
    insert into set_aside (partition, kind, first, last, report, cause, is_pending, entry)
    values (${partition}, ${row.kind}, ${String(row.first)}, ${String(row.last)}, ${row.report},
      ${cause.replaceAll('\0', '').slice(0, MAX_CAUSE)}, ${row.isPending},
      (select entry from telemetry_log
        where ${isOne} and partition = ${partition} and sequence = ${String(row.first)}::bigint and octet_length(entry) <= ${MAX_KEPT_BYTES}))
  `.execute(tx);
}

async function prune(tx: Transaction<ServiceTables>, partition: string, snapshotPosition: bigint): Promise<void> {
  await sql`
    update set_aside set entry = null where entry is not null and id not in (
      select id from set_aside where entry is not null order by id desc limit ${MAX_KEPT_ENTRIES})
  `.execute(tx);
  await sql`
    delete from set_aside
    where partition = ${partition} and id <= (select max(id) from set_aside) - ${MAX_ROWS} and last <= ${String(snapshotPosition)}::bigint
      and not is_pending
  `.execute(tx);
}
