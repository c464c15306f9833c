import { createHash, randomBytes } from 'node:crypto';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { CreateIntegrationRequest, Mapping, StateAnswers, StateMeaning } from '../../../contract/integrations.ts';
import { MAIN_SYSTEM } from '../../../contract/system.ts';
import { CLOCK_NOW } from '../../../database/lease.ts';
import { subMinutes } from '../../../runtime/dates.ts';
import { createId } from '../../core/ids.ts';
import { type Integration, isIncoming, isReceiver, naturalKeyOf } from '../../core/integration.ts';
import type { IntegrationChange } from '../../core/integration-change.ts';
import { monitorOf } from '../../core/monitor.ts';
import type { KeyActor } from '../../core/session.ts';
import { insertKey } from '../keys/api-key-store.ts';
import { recordKeyEvent } from '../keys/key-events.ts';
import { beginPartition } from '../log/correlation-lease.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { toStorableJson } from '../shared/json.ts';
import { type Page, type PageRequest, toPage } from '../shared/page.ts';
import { listIntegrationChanges, recordIntegrationChange } from './integration-changes.ts';
import { hearMonitors, insertMonitor } from './monitor-store.ts';

export interface IntegrationStore {
  /** Newest first. */
  list(page: PageRequest): Promise<Page<Integration>>;
  /** Whether a Slack bot has registered. */
  hasSlack(): Promise<boolean>;
  /** Returns the existing integration when the natural key is the same. */
  create(request: CreateIntegrationRequest, now: Date, by: KeyActor): Promise<Creation>;
  /** null: there is no such integration. */
  find(id: string): Promise<Integration | null>;
  /** Replaces its mapping, and adds what words of its states mean. false: not found. */
  setMapping(id: string, mapping: Mapping, states: StateAnswers, now: Date, by: KeyActor): Promise<boolean>;
  /** Adds what a word of its states means. */
  setStateAnswer(id: string, word: string, meaning: StateMeaning, now: Date, by: KeyActor): Promise<void>;
  /**
   * Moves it to another system. Signals that were sent before stay in theirs.
   *
   * @returns null: there is no integration of this id that sends signals
   */
  setSystem(id: string, system: string, now: Date, by: KeyActor): Promise<Integration | null>;
  /** Also revokes its ingest keys. false: not found. */
  delete(id: string, now: Date, by: KeyActor): Promise<boolean>;
  /** What people did with integrations, newest first. */
  history(limit: number): Promise<IntegrationChange[]>;
  /** The secret with which an integration signs; null: it has none. */
  findSigningSecret(id: string): Promise<string | null>;
  /** Records a use, to the minute. @param fault why it failed; null if it succeeded */
  recordUse(id: string, fault: string | null, now: Date): Promise<void>;
  /** Records what was accepted, but not kept or without effect. */
  recordUnkept(id: string, reason: string, now: Date): Promise<void>;
}

interface Creation {
  readonly integration: Integration;
  /** false: it existed already. */
  readonly created: boolean;
  /** Signing secret of a new webhook. */
  readonly secret: string | null;
  /** Raw key of a new incoming integration. It is not stored. */
  readonly ingestKey: string | null;
}

/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32;

export function createIntegrationStore(db: Kysely<ServiceTables>): IntegrationStore {
  return {
    async list({ limit, offset, after = null }) {
      const [rows, { total }] = await Promise.all([
        selectWatched(db)
          .where(after === null ? sql<boolean>`true` : sql<boolean>`(created_at, id) < (${after.at}, ${after.id})`)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit + 1)
          .offset(offset)
          .execute(),
        db
          .selectFrom('integrations')
          .select(({ fn }) => fn.countAll<string>().as('total'))
          .executeTakeFirstOrThrow(),
      ]);
      return toPage(rows.map(toIntegration), limit, Number(total), ({ createdAt }) => createdAt);
    },

    async hasSlack() {
      const row = await db.selectFrom('integrations').select('id').where('type', '=', 'slack').executeTakeFirst();
      return row !== undefined;
    },

    create: (request, now, by) =>
      db.transaction().execute(async (tx) => {
        await beginPartition(tx, systemOf(request));
        const row = await insertIntegration(tx, request, now);
        const integration = toIntegration(row);
        if (!row.created) {
          return { integration, created: false, secret: null, ingestKey: null };
        }
        await recordIntegrationChange(tx, 'created', integration, by, now);
        if (isReceiver(integration.type)) {
          await insertEndpoint(tx, integration.id);
        }
        const rules = monitorOf(request);
        if (rules !== null) {
          await insertMonitor(tx, integration.id, rules);
        }
        const ingestKey = isIncoming(integration.type) ? await createIngestKey(tx, integration, now, by) : null;
        return { integration, created: true, secret: row.secret, ingestKey };
      }),

    async find(id) {
      const row = await selectWatched(db).where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toIntegration(row);
    },

    setMapping: (id, mapping, states, now, by) =>
      db.transaction().execute(async (tx) => {
        const { rows } = await sql<IntegrationRow>`
          update integrations
          set config = config || ${toStorableJson({ mapping })}::jsonb || jsonb_build_object('states',
            coalesce(config -> 'states', '{}') || ${toStorableJson(states)}::jsonb)
          where id = ${id} returning *
        `.execute(tx);
        const [row] = rows;
        if (row !== undefined) {
          await recordIntegrationChange(tx, 'mapping-changed', toIntegration(row), by, now);
        }
        return row !== undefined;
      }),

    setStateAnswer: (id, word, meaning, now, by) =>
      db.transaction().execute(async (tx) => {
        const { rows } = await sql<IntegrationRow>`
          update integrations
          set config = config || jsonb_build_object('states',
            coalesce(config -> 'states', '{}') || ${toStorableJson({ [word]: meaning })}::jsonb)
          where id = ${id} returning *
        `.execute(tx);
        const [row] = rows;
        if (row !== undefined) {
          await recordIntegrationChange(tx, 'mapping-changed', toIntegration(row), by, now);
        }
      }),

    setSystem: (id, system, now, by) =>
      db.transaction().execute(async (tx) => {
        const before = await selectWatched(tx).where('id', '=', id).forUpdate('integrations').executeTakeFirst();
        if (before === undefined || !isIncoming(toIntegration(before).type)) {
          return null;
        }
        const integration = { ...toIntegration(before), system };
        if (before.system !== system) {
          await beginPartition(tx, system);
          await tx.updateTable('integrations').set({ system }).where('id', '=', id).execute();
          await recordIntegrationChange(tx, 'system-changed', integration, by, now);
        }
        return integration;
      }),

    history: (limit) => listIntegrationChanges(db, limit),

    delete: (id, now, by) =>
      db.transaction().execute(async (tx) => {
        const deleted = await tx.deleteFrom('integrations').where('id', '=', id).returningAll().executeTakeFirst();
        if (deleted === undefined) {
          return false;
        }
        await sql`delete from effects where subject = ${id}`.execute(tx);
        await recordIntegrationChange(tx, 'deleted', toIntegration(deleted), by, now);
        const keys = await tx
          .updateTable('api_keys')
          .set({ revoked_at: now })
          .where('integration_id', '=', id)
          .where('revoked_at', 'is', null)
          .returning('id')
          .execute();
        for (const key of keys) {
          await recordKeyEvent(tx, { keyId: key.id, type: 'revoked', by, at: now });
        }
        return true;
      }),

    async findSigningSecret(id) {
      const { rows } = await sql<{ secret: string | null }>`
        select config ->> 'secret' as secret from integrations where id = ${id}
      `.execute(db);
      return rows[0]?.secret ?? null;
    },

    async recordUse(id, fault, now) {
      await sql`
        with heard as (${hearMonitors(id, 'silence')})
        update integrations set last_used_at = ${now}, last_error = ${fault}
        where id = ${id} and (
          last_error is distinct from ${fault} or last_used_at is null or last_used_at <= ${subMinutes(now, 1)}
        )
      `.execute(db);
    },

    async recordUnkept(id, reason, now) {
      await db.updateTable('integrations').set({ unkept: reason, unkept_at: now }).where('id', '=', id).execute();
    },
  };
}

/** With since when they are silent. An integration has at most one monitor. */
function selectWatched(db: Kysely<ServiceTables>) {
  return db
    .selectFrom('integrations')
    .leftJoin('monitors', 'monitors.integration_id', 'integrations.id')
    .selectAll('integrations')
    .select('monitors.late_since');
}

/** A new webhook gets the events from now on. */
async function insertEndpoint(tx: Transaction<ServiceTables>, id: string): Promise<void> {
  await sql`
    insert into webhook_endpoints (integration_id, not_before, position)
    select ${id}, ${CLOCK_NOW}, last from event_sequence
  `.execute(tx);
}

async function createIngestKey(
  tx: Transaction<ServiceTables>,
  { id, type, name }: Integration,
  now: Date,
  by: KeyActor,
): Promise<string> {
  const { rawKey } = await insertKey(tx, { name: name ?? type, scope: 'ingest', integration_id: id }, now, by);
  return rawKey;
}

type IntegrationRow = Selectable<ServiceTables['integrations']>;

/** A signing secret of Standard Webhooks. */
export function createSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

async function insertIntegration(db: Kysely<ServiceTables>, request: CreateIntegrationRequest, now: Date) {
  const naturalKey = naturalKeyOf(request);
  const digest = naturalKey === null ? null : createHash('sha256').update(naturalKey).digest('hex');
  const secret = request.type === 'webhook' ? createSecret() : null;
  // The update changes nothing; it makes the statement return the existing row. xmax is 0 only for a new row.
  const { rows } = await sql<IntegrationRow & { created: boolean }>`
    insert into integrations (id, type, name, system, config, natural_key, created_at, secret)
    values (${createId('int', now)}, ${request.type}, ${request.name ?? null}, ${systemOf(request)},
      ${toStorableJson(request.config)}::jsonb, ${digest}, ${now}, ${secret})
    on conflict (natural_key) do update set natural_key = excluded.natural_key
    returning *, xmax = 0 as created
  `.execute(db);
  const [row] = rows;
  if (row === undefined) {
    throw new Error('insert returned no row');
  }
  return row;
}

function systemOf(request: CreateIntegrationRequest): string {
  return ('system' in request ? request.system : undefined) ?? MAIN_SYSTEM;
}

/** @param row `late_since` of its monitor; absent: not read, or it has none */
export function toIntegration(row: IntegrationRow & { readonly late_since?: Date | null }): Integration {
  return {
    id: row.id,
    type: row.type as Integration['type'], // only `create` writes it
    name: row.name,
    system: row.system,
    config: row.config,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    lastError: row.last_error,
    unkept: row.unkept === null || row.unkept_at === null ? null : { reason: row.unkept, at: row.unkept_at },
    disabledAt: row.disabled_at,
    silentSince: row.late_since ?? null,
  };
}
