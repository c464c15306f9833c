import { sql, type Transaction } from 'kysely';
import { fromNow, isDue } from '../../../database/lease.ts';
import { LEASE_MS } from '../../../effects/renewal.ts';
import { URGENCY } from '../../incident/urgency.ts';
import { redraw, STORM_GOES_ON } from '../../messages/due.ts';
import { insertMessages } from '../../messages/insert-messages.ts';
import type { ChannelId, StormId } from '../../slack/identifiers.ts';
import type { Tables } from '../../tables.ts';
import { CARD_DATA } from '../card/cards.ts';
import { NOT_REMINDED, type SentReminder } from '../reminders/reminder.ts';
import { stepsAfterStorm, stepsOf } from '../reminders/storm-reminder.ts';
import { decideStorm, isStormOver, type NewIncidents, type StormDecision, type StormRules } from './storm.ts';
import { MEMBERS, ofStorm, STORM_DATA, toStorm } from './storm-members.ts';

/** Starts, calms and ends storms of the channel by the rules, and withholds or releases cards. One process at a time. */
export async function advanceStorms(tx: Transaction<Tables>, channelId: ChannelId, rules: StormRules): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`storm ${channelId}`}, 0))`.execute(tx);
  const gathering = await findGathering(tx, channelId);
  const decision = decideStorm(rules, gathering !== null, await countNew(tx, channelId, rules));
  await carryOut(tx, channelId, decision, gathering, rules);
  await endStorms(tx, channelId, rules);
}

async function findGathering(tx: Transaction<Tables>, channelId: ChannelId): Promise<StormId | null> {
  const { rows } = await sql<{ id: StormId }>`
    select id from messages
    where kind = 'storm' and channel_id = ${channelId} and data->>'calmAt' is null`.execute(tx);
  return rows[0]?.id ?? null;
}

async function countNew(tx: Transaction<Tables>, channelId: ChannelId, rules: StormRules): Promise<NewIncidents> {
  const { rows } = await sql<{ in_window: string; recent: string }>`
    select count(*) filter (where created_at > ${fromNow(-rules.windowMs)}) as in_window,
      count(*) filter (where created_at > ${fromNow(-rules.calmMs)}) as recent
    from messages
    where kind = 'card' and channel_id = ${channelId} and held_until is null
      and created_at > ${fromNow(-Math.max(rules.windowMs, rules.calmMs))}`.execute(tx);
  return { inWindow: Number(rows[0]?.in_window ?? 0), recent: Number(rows[0]?.recent ?? 0) };
}

async function carryOut(
  tx: Transaction<Tables>,
  channelId: ChannelId,
  decision: StormDecision,
  gathering: string | null,
  rules: StormRules,
): Promise<void> {
  if (decision === 'none') {
    return;
  }
  const stormId = gathering ?? (await startStorm(tx, channelId, rules));
  await withholdNewCards(tx, channelId, stormId);
  await joinPostedCards(tx, channelId, stormId);
  if (decision === 'calm down') {
    await sql`
      update messages set data = data || jsonb_build_object('calmAt', clock_now()) where id = ${stormId}`.execute(tx);
    await redraw(sql<boolean>`id = ${stormId}`, URGENCY.state).execute(tx);
  }
}

async function startStorm(tx: Transaction<Tables>, channelId: ChannelId, rules: StormRules): Promise<StormId> {
  const storm = insertMessages(
    'storm',
    URGENCY.person,
    {
      id: sql`id`,
      channel_id: channelId,
      subject: sql`id::text`,
      data: sql`jsonb_build_object('startedAt', (
        select coalesce(min(created_at), clock_now()) from messages
        where kind = 'card' and channel_id = ${channelId} and created_at > ${fromNow(-rules.windowMs)}))`,
    },
    { from: sql`gen_random_uuid() as id` },
  );
  const { rows } = await sql<{ id: StormId }>`${storm} returning id`.execute(tx);
  const id = rows[0]?.id;
  if (id === undefined) {
    throw new Error('a storm was not stored');
  }
  return id;
}

/** Withholds cards that were never posted. A process that holds an expired lease on one of them loses it. */
async function withholdNewCards(tx: Transaction<Tables>, channelId: ChannelId, stormId: StormId): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    update messages set storm_id = ${stormId}, is_withheld = true, lease = gen_random_uuid(), leased_until = null
    where kind = 'card' and channel_id = ${channelId} and ts is null and attempt_id is null and storm_id is null
      and shown_at is null and needs_redraw and held_until is null and ${isDue('leased_until', LEASE_MS)}`.execute(tx);
  if (numAffectedRows > 0n) {
    await redraw(sql<boolean>`id = ${stormId}`, URGENCY.state).execute(tx);
  }
}

/**
 * Adds the cards that were posted since the storm began, or may have been. They stay, and their incidents are reminded
 * of in the thread of the storm. Steps that the thread of one of them was reminded of count as steps of the storm.
 */
async function joinPostedCards(tx: Transaction<Tables>, channelId: ChannelId, stormId: StormId): Promise<void> {
  const { rows } = await sql<{ sent: readonly SentReminder[] }>`
    update messages as card set storm_id = ${stormId}
    from messages as storm
    where storm.id = ${stormId} and card.kind = 'card' and card.channel_id = ${channelId} and card.storm_id is null
      and card.held_until is null and card.created_at >= (storm.data->>'startedAt')::timestamptz
    returning coalesce(card.data->'reminded'->'sent', '[]') as sent`.execute(tx);
  if (rows.length === 0) {
    return;
  }
  const [steps = []] = rows.map(({ sent }) => stepsOf(sent)).toSorted((one, other) => other.length - one.length);
  const reminded = JSON.stringify({ reminded: { ...NOT_REMINDED, sent: steps } });
  await sql`
    update messages set data = ${reminded}::jsonb || data where id = ${stormId}`.execute(tx);
  await redraw(sql<boolean>`id = ${stormId}`, URGENCY.state).execute(tx);
}

async function endStorms(tx: Transaction<Tables>, channelId: ChannelId, rules: StormRules): Promise<void> {
  const { rows } = await sql<{ id: StormId; data: unknown; open: string; is_reminding: boolean }>`
    select id, data, (
      select count(*) from ${MEMBERS} where card.storm_id = storm.id and i.is_open) as open, exists (
      select from messages as reminder
      where reminder.kind = 'reminder' and reminder.subject = storm.subject
        and reminder.channel_id = storm.channel_id) as is_reminding
    from messages as storm
    where ${STORM_GOES_ON} and channel_id = ${channelId}`.execute(tx);
  for (const { id, data, open, is_reminding: isReminding } of rows) {
    const shown = STORM_DATA.parse(data);
    if (isStormOver(rules, toStorm(id, channelId, shown), { open: Number(open), isReminding })) {
      await keepSteps(tx, id, shown.reminded?.sent ?? []);
      await endStorm(tx, id);
    }
  }
}

/** Copies the steps that the storm has sent to its open incidents, whose own reminders continue after these. */
async function keepSteps(tx: Transaction<Tables>, stormId: StormId, sent: readonly SentReminder[]): Promise<void> {
  const { rows } = await sql<{ id: StormId; data: unknown; opened_at: Date }>`
    select card.id, card.data, i.opened_at from ${MEMBERS}
    where ${ofStorm(stormId)} and i.is_open for update of card`.execute(tx);
  for (const { id, data, opened_at: openedAt } of rows) {
    const { reminded = NOT_REMINDED } = CARD_DATA.parse(data);
    const kept = JSON.stringify({ reminded: { ...reminded, sent: stepsAfterStorm(reminded.sent, sent, openedAt) } });
    await sql`update messages set data = data || ${kept}::jsonb where id = ${id}`.execute(tx);
  }
}

async function endStorm(tx: Transaction<Tables>, stormId: StormId): Promise<void> {
  await sql`
    update messages set data = data || jsonb_build_object('endedAt', clock_now()) where id = ${stormId}`.execute(tx);
  await redraw(sql<boolean>`id = ${stormId}`, URGENCY.state).execute(tx);
  // Open incidents get their cards now. Closed ones are covered by the storm message unless they open again.
  await sql`
    update messages set is_withheld = false, needs_redraw = i.is_open, due_since = clock_now(),
      urgency = ${URGENCY.opened}, retry_at = null
    from incidents as i
    where storm_id = ${stormId} and kind = 'card' and i.incident_id = subject and (is_withheld or i.is_open)`.execute(
    tx,
  );
}
