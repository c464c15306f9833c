import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { PostedAlert } from '../../core/posted-alert.ts';
import type { SignalBatch } from '../../core/signal.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { toStorableJson } from '../shared/json.ts';

/** An alert that fires, and who posted it. */
export interface ActiveAlert extends PostedAlert {
  /** Integration or key, see `senderOf`. */
  readonly sender: string;
  readonly updatedAt: Date;
}

/** The alerts that Prometheus posts and that fire. */
export interface PostedAlertStore {
  /** The ends of those that are stored. */
  findActive(sender: string, fingerprints: readonly string[]): Promise<ReadonlyMap<string, Date>>;
  /** Those that fire with all labels of one of these and no other but a severity. */
  findBesideSeverity(sender: string, labels: readonly PostedAlert['labels'][]): Promise<readonly PostedAlert[]>;
  /** Moves the ends of alerts. */
  keep(sender: string, alerts: readonly PostedAlert[], now: Date): Promise<void>;
  /** Those of all senders, the oldest first. */
  list(limit: number): Promise<readonly ActiveAlert[]>;
  /** Those whose end is past, the earliest first. */
  listOver(now: Date, limit: number): Promise<readonly Pick<ActiveAlert, 'sender' | 'fingerprint' | 'endsAt'>[]>;
  /** Removes those whose end has not moved since they were read. */
  removeOver(alerts: readonly Pick<ActiveAlert, 'sender' | 'fingerprint' | 'endsAt'>[]): Promise<void>;
}

export function createPostedAlertStore(db: Kysely<ServiceTables>): PostedAlertStore {
  return {
    async findActive(sender, fingerprints) {
      const { rows } = await sql<{ fingerprint: string; ends_at: Date }>`
        select fingerprint, ends_at from posted_alerts
        where sender = ${sender} and fingerprint = any(${fingerprints}::text[])
      `.execute(db);
      return new Map(rows.map((row) => [row.fingerprint, row.ends_at]));
    },

    async findBesideSeverity(sender, labels) {
      if (labels.length === 0) {
        return [];
      }
      const rows = await db
        .selectFrom('posted_alerts')
        .selectAll()
        .where('sender', '=', sender)
        .where(sql<boolean>`(alert->'labels') - 'severity' = any(array(
          select jsonb_array_elements(${toStorableJson(labels)}::jsonb)))`)
        .execute();
      return rows.map(toAlert);
    },

    async keep(sender, alerts, now) {
      if (alerts.length > 0) {
        await sql`${keepAlerts(
          alerts.map((alert) => ({ sender, alert })),
          now,
        )}`.execute(db);
      }
    },

    async list(limit) {
      const rows = await db
        .selectFrom('posted_alerts')
        .selectAll()
        .orderBy('starts_at')
        .orderBy('fingerprint')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...toAlert(row), sender: row.sender, updatedAt: row.updated_at }));
    },

    async listOver(now, limit) {
      const rows = await db
        .selectFrom('posted_alerts')
        .select(['sender', 'fingerprint', 'ends_at'])
        .where('ends_at', '<=', now)
        .orderBy('ends_at')
        .limit(limit)
        .execute();
      return rows.map(({ ends_at: endsAt, ...row }) => ({ ...row, endsAt }));
    },

    async removeOver(alerts) {
      const rows = alerts.map(({ sender, fingerprint, endsAt }) => ({ sender, fingerprint, ends_at: endsAt }));
      await sql`
        delete from posted_alerts using jsonb_to_recordset(${toStorableJson(rows)}::jsonb)
          as over (sender text, fingerprint text, ends_at timestamptz)
        where posted_alerts.sender = over.sender and posted_alerts.fingerprint = over.fingerprint
          and posted_alerts.ends_at = over.ends_at
      `.execute(db);
    },
  };
}

interface OfSender {
  readonly sender: string;
  readonly alert: PostedAlert;
}

function toAlert(row: Selectable<ServiceTables['posted_alerts']>): PostedAlert {
  return { ...row.alert, fingerprint: row.fingerprint, startsAt: row.starts_at, endsAt: row.ends_at };
}

/** Statements that change the lists as the batches say; the last word on an alert counts. Empty: nothing changes. */
export function changePosted(batches: readonly SignalBatch[], now: Date): readonly RawBuilder<unknown>[] {
  const kept = new Map<string, OfSender>();
  const removed = new Map<string, readonly [sender: string, fingerprint: string]>();
  for (const { sender = '', posted } of batches) {
    for (const alert of posted?.keep ?? []) {
      const key = `${sender} ${alert.fingerprint}`;
      kept.set(key, { sender, alert });
      removed.delete(key);
    }
    for (const fingerprint of posted?.remove ?? []) {
      const key = `${sender} ${fingerprint}`;
      removed.set(key, [sender, fingerprint]);
      kept.delete(key);
    }
  }
  return [
    ...(kept.size === 0 ? [] : [keepAlerts([...kept.values()], now)]),
    ...(removed.size === 0 ? [] : [removeAlerts([...removed.values()])]),
  ];
}

/** In one order, so that two requests cannot wait for each other. */
function keepAlerts(alerts: readonly OfSender[], now: Date): RawBuilder<unknown> {
  const rows = alerts.map(
    ({ sender, alert: { fingerprint, labels, annotations, startsAt, endsAt, generatorUrl } }) => ({
      sender,
      fingerprint,
      alert: { labels, annotations, generatorUrl },
      starts_at: startsAt,
      ends_at: endsAt,
    }),
  );
  return sql`
    insert into posted_alerts (sender, fingerprint, alert, starts_at, ends_at, updated_at)
    select sender, fingerprint, alert, starts_at, ends_at, ${now}::timestamptz
    from jsonb_to_recordset(${toStorableJson(rows)}::jsonb)
      as posted (sender text, fingerprint text, alert jsonb, starts_at timestamptz, ends_at timestamptz)
    order by sender, fingerprint
    on conflict (sender, fingerprint) do update
      set alert = excluded.alert, ends_at = excluded.ends_at, updated_at = excluded.updated_at`;
}

function removeAlerts(alerts: readonly (readonly [sender: string, fingerprint: string])[]): RawBuilder<unknown> {
  return sql`
    delete from posted_alerts
    using unnest(${alerts.map(([sender]) => sender)}::text[], ${alerts.map(([, fingerprint]) => fingerprint)}::text[])
      as over (sender, fingerprint)
    where posted_alerts.sender = over.sender and posted_alerts.fingerprint = over.fingerprint`;
}
