import { randomUUID } from 'node:crypto';
import { Kysely, type LogEvent, PostgresDialect, sql } from 'kysely';
import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import {
  CHANNEL,
  claimAll,
  incident,
  MINUTE_MS,
  present,
  show,
  showAll,
  withStore,
} from '../../../test/support/bot-store.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { createPlainPool } from '../../../test/support/plain-pool.ts';
import type { Incident } from '../../contract/resources.ts';
import { URGENCY } from '../incident/urgency.ts';
import { migrations } from '../migrations.ts';
import { EVERYTHING } from '../rooms/rules/rule.ts';
import { STORM_RULES } from '../rooms/storm/storm.ts';
import type { Store } from '../store.ts';
import { BOT_SCHEMA, type Tables } from '../tables.ts';
import { createRetention, type Retention } from './retention.ts';

const DAY_MS = 24 * 60 * MINUTE_MS;
const DAYS = 400;
const now = new Date();
const HOUR_BEFORE_THE_END_MS = DAYS * DAY_MS - 60 * MINUTE_MS;
const ANSWER = { text: 'done', blocks: [] };

/** Opened and closed just now. */
async function close(store: Store, id: string, fields: Partial<Incident> = {}, asOf = now): Promise<void> {
  const closed = incident(id, {
    status: 'closed',
    opened_at: now.toISOString(),
    closed_at: now.toISOString(),
    ...fields,
  });
  await store.incidents.observe(closed, { urgency: URGENCY.state, asOf, storesClosed: true });
}

async function openNow(store: Store, id: string, fields: Partial<Incident> = {}): Promise<void> {
  const opened = incident(id, { opened_at: now.toISOString(), ...fields });
  await store.incidents.observe(opened, { urgency: URGENCY.opened, asOf: now });
}

async function note(store: Store, incidentId: string, isSettled = true): Promise<void> {
  const asked = { source: randomUUID(), kind: 'note', incidentId, slackUserId: 'U1', channelId: null } as const;
  const kept = await store.actions.keep({ ...asked, note: 'seen', origin: 'button' }, 'ana');
  if (isSettled && kept.kind === 'new') {
    const entry = { action: 'note', incidentId, slackUserId: 'U1', userName: 'ana', channelId: null, origin: 'button' };
    await store.actions.settle(kept.action, { ...entry, outcome: 'done', detail: null }, ANSWER, 0);
  }
}

async function pruneAll(retention: Retention, days: number | null = DAYS): Promise<void> {
  while (await retention.prune(days)) {}
}

async function countRows(db: Kysely<Tables>, table: keyof Tables): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from ${sql.table(table)}`.execute(db);
  return present(rows[0]).count;
}

const storedIds = async (db: Kysely<Tables>) =>
  (await db.selectFrom('incidents').select('incident_id').orderBy('incident_id').execute()).map(
    (row) => row.incident_id,
  );

describe('the retention', () => {
  it('deletes a closed incident with its card, actions and audit entries, not an hour too early', () =>
    withStore(async ({ store, db, advance }) => {
      await close(store, 'a');
      await showAll(store);
      await note(store, 'a');
      const tables = ['incidents', 'messages', 'actions', 'audit_log'] as const;
      const count = () => Promise.all(tables.map((table) => countRows(db, table)));
      const before = await count();

      await advance(HOUR_BEFORE_THE_END_MS);
      await pruneAll(store.retention);
      const early = await count();
      await advance(2 * 60 * MINUTE_MS);
      await pruneAll(store.retention);

      expect(before).toEqual([1, 2, 1, 1]); // also the direct message with the answer
      expect(early).toEqual(before);
      expect(await count()).toEqual([0, 1, 0, 0]);
    }));

  it('keeps everything where there is no limit', () =>
    withStore(async ({ store, db, advance }) => {
      await close(store, 'a');
      await showAll(store);

      await advance(10 * DAYS * DAY_MS);
      await pruneAll(store.retention, null);

      expect(await storedIds(db)).toEqual(['a']);
    }));

  it('keeps incidents that are open, have a waiting action, or changed since', () =>
    withStore(async ({ store, db, advance }) => {
      await openNow(store, 'open');
      await close(store, 'waiting');
      await close(store, 'changed', {}, new Date(now.getTime() + 2 * DAY_MS));
      await close(store, 'over');
      await showAll(store);
      await note(store, 'waiting', false);

      await advance(DAYS * DAY_MS + DAY_MS);
      await pruneAll(store.retention);

      expect(await storedIds(db)).toEqual(['changed', 'open', 'waiting']);
    }));

  it('keeps an incident that somebody acted on in the last days, whose action can still be undone', () =>
    withStore(async ({ store, db, advance }) => {
      await close(store, 'a');
      await showAll(store);

      await advance(DAYS * DAY_MS + DAY_MS);
      await note(store, 'a');
      await pruneAll(store.retention);

      expect(await storedIds(db)).toEqual(['a']);
      expect(await countRows(db, 'actions')).toBe(1);
    }));

  it('keeps the incidents that the card of an open one names', () =>
    withStore(async ({ store, db, advance }) => {
      await close(store, 'previous');
      await close(store, 'other');
      await openNow(store, 'open', { previous_incident_id: 'previous' });
      await showAll(store);

      await advance(DAYS * DAY_MS + DAY_MS);
      await pruneAll(store.retention);

      expect(await storedIds(db)).toEqual(['open', 'previous']);
    }));

  it('keeps the last fixes of each root service, and of equal ones the newest', () =>
    withStore(async ({ store, db, advance }) => {
      const fixed = async (id: string, minute: number, resolution_note: string) => {
        const at = new Date(now.getTime() - DAY_MS + minute * MINUTE_MS).toISOString();
        await close(store, id, { opened_at: at, closed_at: at, resolution_note });
      };
      await fixed('older', 0, 'restarted');
      await fixed('newer', 1, 'restarted');
      await fixed('rolled-back', 2, 'rolled back');
      await fixed('silent', 3, '');
      await showAll(store);
      const last = () => store.pastFixes.last('payments', { except: 'x', limit: 2 });
      const before = await last();

      await advance(DAYS * DAY_MS + DAY_MS);
      await pruneAll(store.retention);

      expect(await storedIds(db)).toEqual(['newer', 'rolled-back']);
      expect(before).toHaveLength(2);
      expect(await last()).toEqual(before);
    }));

  it('keeps what an open list shows', () =>
    withStore(async ({ store, db, advance }) => {
      await close(store, 'shown');
      await showAll(store);
      await advance(DAYS * DAY_MS + DAY_MS);
      const view = { what: '', viewId: 'V1', responseUrl: null, messageTs: null, incidentIds: ['shown'], refreshes: 0 };
      const until = new Date(Date.now() + 2 * DAYS * DAY_MS).toISOString();
      await store.openViews.watch('U1', { ...view, kind: 'list', channelId: null, until }, false);

      await pruneAll(store.retention);

      expect(await storedIds(db)).toEqual(['shown']);
    }));

  it('keeps an incident whose card is still to be drawn', () =>
    withStore(async ({ store, db, advance }) => {
      await close(store, 'a');
      await showAll(store);
      await advance(DAYS * DAY_MS + DAY_MS);
      await db.updateTable('messages').set({ needs_redraw: true, due_since: sql`clock_now()` }).execute();

      await pruneAll(store.retention);

      expect(await storedIds(db)).toEqual(['a']);
    }));

  it('keeps the incidents of a storm until it has been over for as long, and then its message too', () =>
    withStore(async ({ store, db, advance }) => {
      const rules = { ...STORM_RULES, incidents: 1, calmIncidents: 0, leftOpen: 1 };
      await openNow(store, 'a');
      await openNow(store, 'b');
      await store.storms.advance(CHANNEL, rules);
      await claimAll(store).then((messages) => Promise.all(messages.map((message) => show(store, message))));
      await close(store, 'a');
      await close(store, 'b');

      await advance(DAYS * DAY_MS + DAY_MS);
      await pruneAll(store.retention);
      const during = await storedIds(db);
      await store.storms.advance(CHANNEL, rules);
      await advance(rules.calmMs + MINUTE_MS);
      await store.storms.advance(CHANNEL, rules);
      await showAll(store);
      await advance(DAYS * DAY_MS + DAY_MS);
      await pruneAll(store.retention);

      expect(during).toEqual(['a', 'b']);
      expect(await storedIds(db)).toEqual([]);
      expect(await countRows(db, 'messages')).toBe(0);
    }));

  it('makes no new card of a deleted incident that the service still lists, until it is open again', () =>
    withStore(async ({ store, db, advance }) => {
      await store.installation.watermark('service', new Date(now.getTime() - DAY_MS));
      await close(store, 'a');
      await showAll(store);
      await advance(DAYS * DAY_MS + DAY_MS);
      await pruneAll(store.retention);

      await close(store, 'a', { signal_count: 2 });
      const again = await storedIds(db);
      await openNow(store, 'a');

      expect(again).toEqual([]);
      expect(await store.installation.watermark('service', now)).toEqual(now);
      expect(await showAll(store)).toEqual(['a']);
    }));

  it('deletes what belongs to no stored incident: audit entries and actions of long ago', () =>
    withStore(async ({ store, db, advance }) => {
      await note(store, 'unknown');
      const entry = {
        action: 'rule',
        incidentId: null,
        slackUserId: 'U1',
        userName: null,
        channelId: null,
        origin: null,
      };
      await store.auditLog.record({ ...entry, outcome: 'done', detail: null });

      await advance(HOUR_BEFORE_THE_END_MS);
      await pruneAll(store.retention);
      const early = [await countRows(db, 'actions'), await countRows(db, 'audit_log')];
      await advance(2 * 60 * MINUTE_MS);
      await pruneAll(store.retention);

      expect(early).toEqual([1, 2]);
      expect([await countRows(db, 'actions'), await countRows(db, 'audit_log')]).toEqual([0, 0]);
    }));

  it('keeps the actions that a waiting action compares itself with', () =>
    withStore(async ({ store, db, advance }) => {
      await note(store, 'elsewhere', false);
      await note(store, 'unknown');

      await advance(DAYS * DAY_MS + DAY_MS);
      await pruneAll(store.retention);

      expect(await countRows(db, 'actions')).toBe(2);
    }));

  it('forgets people whom nobody asked Slack about, unless an open incident names them', () =>
    withStore(async ({ store, advance }) => {
      await store.people.save('U1', { name: 'ana@example.com', userId: 'slack:U1', standing: 'member' });
      await store.people.save('U2', { name: 'ben@example.com', userId: 'slack:U2', standing: 'member' });
      await openNow(store, 'a', { lead: 'ben@example.com' });

      await advance(DAYS * DAY_MS + DAY_MS);
      await pruneAll(store.retention);

      expect(await store.people.find('U1')).toBeNull();
      expect(await store.people.find('U2')).not.toBeNull();
    }));

  it('deletes posted notices, deleted rules and pauses that ended after a month, whatever the limit', () =>
    withStore(async ({ store, db, advance }) => {
      const settings = { channelId: 'C0OTHER', filter: EVERYTHING, escalation: [], quietHours: null, handover: null };
      const rule = present(await store.rules.save(null, settings, 'U1'));
      await store.rules.delete([rule.id]);
      await store.notices.post('evt_1', 'An integration is off.');
      await store.pauses.failed({ call: 'chat.update', placeId: CHANNEL }, 'ratelimited', () => 0);
      const count = () =>
        Promise.all((['deleted_rules', 'messages', 'slack_pauses'] as const).map((table) => countRows(db, table)));

      await advance(29 * DAY_MS);
      await pruneAll(store.retention, null);
      const early = await count();
      await advance(2 * DAY_MS);
      await pruneAll(store.retention, null);

      expect(early).toEqual([1, 1, 1]);
      expect(await count()).toEqual([0, 0, 0]);
    }));

  it('gets past many rows that are still needed, in batches that use indexes', async () => {
    await using database = await createTestDatabase();
    await database.open<Tables>(BOT_SCHEMA, migrations);
    const pool = createPlainPool(database.url, BOT_SCHEMA);
    const sent: LogEvent['query'][] = [];
    const log = ({ query }: LogEvent) => void sent.push(query);
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log });
    await insertHistory(pool);

    await pruneAll(createRetention(db));
    const plans: string[] = [];
    for (const { sql: text, parameters } of new Map(sent.map((query) => [query.sql, query])).values()) {
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...parameters]);
      plans.push(...rows.map((row) => row['QUERY PLAN']));
    }
    const left = await countRows(db, 'incidents');
    await db.destroy();

    expect(left).toBe(HISTORY - EXPIRED / 2);
    expect(plans.filter((line) => /Seq Scan on (incidents|messages|actions|audit_log)/.test(line))).toEqual([]);
  });
});

/** As many as make a plan without indexes dear. */
const HISTORY = 60_000;
const EXPIRED = 1_200;

/** Closed incidents. Half of the expired ones are the newest fix of a root service. */
async function insertHistory(pool: Pool): Promise<void> {
  const state = `jsonb_build_object('id', n::text, 'status', 'closed',
    'resolution_note', case when n % 2 = 0 then 'restarted' end)`;
  await pool.query(`
    insert into incidents (incident_id, snapshot, incident, is_open, is_acknowledged, root_service, opened_at, closed_at,
      as_of, first_signal_count)
    select n::text, ${state}, ${state}, false, true, 'service-' || n, at, at, at, 1
    from (
      select n, now() - (case when n <= ${EXPIRED} then ${DAYS + 1} else 1 end) * interval '1 day' as at
      from generate_series(1, ${HISTORY}) as n) as ages`);
  await pool.query(`
    insert into channels (channel_id) values ('${CHANNEL}');
    insert into messages (kind, channel_id, subject, ts, needs_redraw, urgency, created_at, due_since)
    select 'card', '${CHANNEL}', incident_id, incident_id, false, 1, opened_at, opened_at from incidents;
    insert into actions (source, kind, incident_id, data, slack_user_id, origin, created_at, settled_at, outcome)
    select incident_id, 'note', incident_id, '{}', 'U1', 'button', opened_at, opened_at, 'done' from incidents;
    insert into audit_log (at, action, incident_id, slack_user_id, outcome)
    select opened_at, 'note', incident_id, 'U1', 'done' from incidents`);
  await pool.query('vacuum analyze');
}
