import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { fromNow } from '../../../database/lease.ts';
import { prepared } from '../../../database/prepared.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import { URGENCY } from '../../incident/urgency.ts';
import type { Consequences } from '../../incident/write-incident.ts';
import { OPEN, redraw, STORM_GOES_ON } from '../../messages/due.ts';
import { DRAW_AGAIN, insertMessages } from '../../messages/insert-messages.ts';
import type { ChannelId, IncidentId } from '../../slack/identifiers.ts';
import type { Tables } from '../../tables.ts';
import { insertCards } from '../card/cards.ts';
import { redrawHomes } from '../home/homes.ts';
import type { PastCard } from './noise.ts';
import { type Placement, placementsOf, type Rule, type RuleSettings } from './rule.ts';
import { toRule } from './rule-rows.ts';

const FIRST_AUDIT_MS = 90_000;

export interface RuleStore {
  /** Oldest first. */
  list(): Promise<Rule[]>;
  /** @param tx in which they are read; absent: none */
  ofChannel(channelId: ChannelId, tx?: Kysely<Tables>): Promise<Rule[]>;
  /** null: there is no such rule. */
  find(ruleId: string): Promise<Rule | null>;
  /**
   * Creates or changes a rule. Open incidents that match now get their cards. Cards that are not posted and match no
   * longer are deleted; posted ones are kept up to date.
   *
   * @param ruleId null: a new rule
   * @param source identifies the form, so that a redelivery creates no other rule
   * @returns null: the rule was deleted meanwhile
   */
  save(ruleId: string | null, settings: RuleSettings, createdBy: string, source?: string): Promise<Rule | null>;
  /** Open incidents that get a card at once if a rule with these settings is saved. */
  countNewCards(settings: RuleSettings): Promise<number>;
  /** They are kept for `restore`. @returns the deleted rules */
  delete(ruleIds: readonly string[]): Promise<Rule[]>;
  /** @returns the rules that are back; those that were not deleted, or are back already, are left out */
  restore(ruleIds: readonly string[]): Promise<Rule[]>;
  /** The incidents that had a card in that channel since then. */
  pastCards(channelId: ChannelId, since: Date): Promise<PastCard[]>;
}

export function createRuleStore(db: Kysely<Tables>): RuleStore {
  return {
    list: async () => (await readRules(db)).rules,

    ofChannel: (channelId, tx = db) => rulesOf(tx, channelId),

    async find(ruleId) {
      const row = await db.selectFrom('rules').selectAll().where(sql<boolean>`id::text = ${ruleId}`).executeTakeFirst();
      return row === undefined ? null : toRule(row);
    },

    async save(ruleId, settings, createdBy, source) {
      let saved: Rule | null = null;
      await changeRules(db, async (tx) => {
        const values = {
          channel_id: settings.channelId,
          filter: JSON.stringify(settings.filter),
          escalation: JSON.stringify(settings.escalation),
          quiet_hours: settings.quietHours && JSON.stringify(settings.quietHours),
          handover: settings.handover && JSON.stringify(settings.handover),
          changed_at: sql<Date>`clock_now()`,
        };
        await tx
          .insertInto('channels')
          .values({ channel_id: settings.channelId })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        const before =
          ruleId === null
            ? undefined
            : await tx.selectFrom('rules').select('channel_id').where('id', '=', ruleId).executeTakeFirst();
        const row =
          ruleId === null
            ? await tx
                .insertInto('rules')
                .values({ ...values, created_by: createdBy, source: source ?? null })
                .onConflict((conflict) => conflict.column('source').doUpdateSet(values))
                .returningAll()
                .executeTakeFirst()
            : await tx.updateTable('rules').set(values).where('id', '=', ruleId).returningAll().executeTakeFirst();
        saved = row === undefined ? null : toRule(row);
        return [...new Set([settings.channelId, before?.channel_id ?? settings.channelId])];
      });
      return saved;
    },

    async countNewCards(settings) {
      const { rows } = await sql<{ incident: Snapshot; now: Date }>`
        select incident, clock_now() as now from incidents
        where is_open and not exists (
          select from messages where kind = 'card' and channel_id = ${settings.channelId} and subject = incident_id)`.execute(
        db,
      );
      const rule = { ...settings, id: '', createdBy: null, changedAt: new Date(0) };
      return rows.filter(({ incident, now }) => placementsOf([rule], incident, now).some(({ heldUntil }) => !heldUntil))
        .length;
    },

    async delete(ruleIds) {
      let deleted: Rule[] = [];
      await changeRules(db, async (tx) => {
        const { rows } = await sql<Selectable<Tables['rules']>>`
          with gone as (
            delete from rules where id::text = any(${ruleIds}::text[]) returning *
          ), kept as (
            insert into deleted_rules (id, rule) select id, to_jsonb(gone) from gone
          )
          select * from gone`.execute(tx);
        deleted = rows.map(toRule);
        return [...new Set(deleted.map(({ channelId }) => channelId))];
      });
      return deleted;
    },

    async restore(ruleIds) {
      let restored: Rule[] = [];
      await changeRules(db, async (tx) => {
        const { rows } = await sql<Selectable<Tables['rules']>>`
          with back as (
            delete from deleted_rules where id::text = any(${ruleIds}::text[]) returning rule
          )
          insert into rules select (jsonb_populate_record(null::rules, rule)).* from back returning *`.execute(tx);
        restored = rows.map(toRule);
        return [...new Set(restored.map(({ channelId }) => channelId))];
      });
      return restored;
    },

    async pastCards(channelId, since) {
      const { rows } = await sql<PastCard>`
        select incident->>'severity' as severity, root_service as "rootService",
          is_acknowledged or coalesce(incident->>'resolved_by', '') <> '' as "isActedOn"
        from messages join incidents on incident_id = subject
        where kind = 'card' and channel_id = ${channelId} and created_at > ${since}`.execute(db);
      return rows;
    },
  };
}

/** The rules, and the version that a statement that depends on them must compare. */
interface VersionedRules {
  readonly rules: Rule[];
  readonly version: string;
}

async function readRules(db: Kysely<Tables>): Promise<VersionedRules> {
  const { rows } = await sql<{ version: string; rules: Selectable<Tables['rules']>[] }>`
    ${prepared('rules')}
    select rules_version as version, (
      select coalesce(json_agg(rules order by changed_at, id), '[]') from rules) as rules
    from installation`.execute(db);
  const { version = '0', rules = [] } = rows[0] ?? {};
  return { version, rules: rules.map(toRule) };
}

async function rulesOf(db: Kysely<Tables>, channelId: ChannelId): Promise<Rule[]> {
  const rows = await db
    .selectFrom('rules')
    .modifyFront(prepared('rules-of-channel'))
    .selectAll()
    .where('channel_id', '=', channelId)
    .orderBy('changed_at')
    .orderBy('id')
    .execute();
  return rows.map(toRule);
}

/**
 * Changes rules and then the cards of the channels. A concurrent insert of an incident waits, and then sees that the
 * rules have another version.
 *
 * @param change returns the channels whose rules it changed
 */
export async function changeRules(
  db: Kysely<Tables>,
  change: (tx: Transaction<Tables>) => Promise<readonly string[]>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`lock table incidents in exclusive mode`.execute(tx);
    const channelIds = await change(tx);
    await sql`update installation set rules_version = rules_version + 1`.execute(tx);
    await redrawHomes().execute(tx);
    for (const channelId of channelIds) {
      const rules = await rulesOf(tx, channelId);
      await (rules.length === 0 ? abandon(tx, channelId) : adjust(tx, channelId, rules));
    }
  });
}

/** Adds the cards that the rules of a channel ask for, and removes the unposted ones that they do not ask for. */
async function adjust(tx: Transaction<Tables>, channelId: ChannelId, rules: readonly Rule[]): Promise<void> {
  await sql`
    update channels set next_audit_at = coalesce(next_audit_at, ${fromNow(FIRST_AUDIT_MS)})
    where channel_id = ${channelId}`.execute(tx);
  const { rows } = await sql<{ incident: Snapshot; now: Date }>`
    select incident, clock_now() as now from incidents where is_open`.execute(tx);
  const placed = rows.flatMap(({ incident, now }) =>
    placementsOf(rules, incident, now).map((placement) => ({ ...placement, incidentId: incident.id })),
  );
  await sql`
    delete from messages
    where channel_id = ${channelId} and kind = 'card' and ts is null
      and subject in (select incident_id from incidents where is_open)
      and subject <> all(${placed.map(({ incidentId }) => incidentId)}::text[])`.execute(tx);
  // Posted cards and storms have other reminders now, and held cards may be held until another time.
  await redraw(
    sql<boolean>`channel_id = ${channelId} and (kind = 'card' and subject = any(${OPEN})
      or ${STORM_GOES_ON})`,
    URGENCY.count,
    { releases: true },
  ).execute(tx);
  await insertCards(placedRows(placed), URGENCY.opened).execute(tx);
  // It is due now; rendering holds it until the time of the handover.
  await insertMessages(
    'handover',
    URGENCY.state,
    { channel_id: sql`channel_id`, subject: sql`id::text` },
    {
      from: sql`rules where channel_id = ${channelId} and handover is not null`,
      onConflict: sql`${DRAW_AGAIN}, held_until = null`,
    },
  ).execute(tx);
}

/** Deletes cards that were not posted yet, and freezes storm messages. */
async function abandon(tx: Transaction<Tables>, channelId: ChannelId): Promise<void> {
  await sql`update channels set next_audit_at = null where channel_id = ${channelId}`.execute(tx);
  await sql`
    delete from messages
    where channel_id = ${channelId} and ts is null and kind in ('card', 'reminder', 'handover')`.execute(tx);
  await sql`
    update messages set needs_redraw = false, leased_until = null, lease = gen_random_uuid(),
      data = jsonb_build_object('calmAt', clock_now(), 'endedAt', clock_now()) || jsonb_strip_nulls(data)
    where channel_id = ${channelId} and ${STORM_GOES_ON}`.execute(tx);
}

/** Where the rules want an incident. They are read again only if the statement says that they have changed. */
export function createPlaceIncident(): Consequences['place'] {
  let known: VersionedRules | null = null;
  return async (db, { incident, asOf }, isAgain) => {
    known = isAgain || known === null ? await readRules(db) : known;
    const { rules, version } = known;
    const placed = placementsOf(rules, incident, asOf).map((each) => ({ ...each, incidentId: incident.id }));
    return {
      isCurrent: sql<boolean>`${version} = (select rules_version from installation)`,
      insertCards: (written, urgency) =>
        insertCards(
          sql`(select * from ${placedRows(placed)} as placed where exists (select from ${written}))`,
          urgency,
        ),
    };
  };
}

/** A relation with the columns `incident_id`, `channel_id` and `held_until`. */
function placedRows(placed: readonly (Placement & { readonly incidentId: IncidentId })[]) {
  const rows = placed.map(({ incidentId, channelId, heldUntil }) => ({
    incident_id: incidentId,
    channel_id: channelId,
    held_until: heldUntil,
  }));
  return sql`(
    select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as placed (incident_id text, channel_id text, held_until timestamptz))`;
}
