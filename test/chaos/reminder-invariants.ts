import { directMessages, PEOPLE } from './people.ts';
import type { History } from './run-plan.ts';
import { REMIND_MINUTES, type World } from './world.ts';

/** Longer than the service is away at once, so that the bots have read a mute by then. */
const UNTIL_READ_MS = 150_000;

/** Violations of what is said of reminders; empty: none. */
export async function findBrokenReminders(world: World, history: History): Promise<string[]> {
  return [
    ...(await brokenReminders(world, history)),
    ...(await brokenStormReminders(world)),
    ...remindersDuringSnoozes(world),
  ];
}

/** Each step is told once, in time, and never about an incident that needs nobody. */
async function brokenReminders(world: World, { incidents, closedElsewhere }: History): Promise<string[]> {
  const { slack, service } = world;
  const broken: string[] = [];
  const rows = await world.query<StateRow>(`
    select incident_id, opened_at, closed_at, incident->>'acknowledged_at' as acknowledged_at, card.ts,
      coalesce(card.data->'reminded'->'sent', '[]') as sent, storm.id is not null as is_of_storm,
      storm.id is not null and storm.data->>'endedAt' is null as is_in_storm
    from incidents join messages as card on card.kind = 'card' and card.subject = incident_id
      left join messages as storm on storm.id = card.storm_id
    where card.channel_id = 'C0INCIDENT'`);
  const all = slack.messages('incidents').filter(({ metadata }) => metadata?.event_type === 'tocsin_reminder');
  const byIncident = Map.groupBy(all, ({ metadata }) => metadata?.event_payload.about_id);
  for (const { incident_id: id, opened_at, closed_at, acknowledged_at, ts, sent, ...row } of rows) {
    const reminders = byIncident.get(id) ?? [];
    const steps = reminders.map(({ text }) => (text.includes('told directly') ? 'members' : 'group'));
    const alerts = PEOPLE.map((person) => alertsAbout(world, person, id).length);
    const over = [closed_at, acknowledged_at].map((at) =>
      at === null ? Number.POSITIVE_INFINITY : new Date(at).getTime(),
    );
    const endMs = Math.min(...over);
    const mayRepeat = service.reopened.has(id);
    if (!mayRepeat && (new Set(steps).size < steps.length || alerts.some((count) => count > 1))) {
      broken.push(`${id}: was reminded of more than once: ${steps.join(', ')}; direct messages: ${alerts.join(', ')}`);
    }
    if (reminders.some((reminder) => Number.parseFloat(reminder.ts) * 1_000 > endMs + 1_000)) {
      broken.push(`${id}: was reminded of after it was closed or acknowledged`);
    }
    // By the clock of Slack: that of the bots may be ahead of it, so that a reminder is due before the incident is closed.
    const closedMs = closedElsewhere.get(id)?.getTime() ?? Number.POSITIVE_INFINITY;
    const isClosedInTime = closedMs < new Date(opened_at).getTime() + REMIND_MINUTES * 60_000;
    if (isClosedInTime && reminders.some((reminder) => Number.parseFloat(reminder.ts) * 1_000 > closedMs)) {
      broken.push(`${id}: was reminded of although it was closed before the reminder was due`);
    }
    const { status, acknowledgedBy } = service.incident(id);
    const needsSomebody = status === 'open' && acknowledgedBy === null && ts !== null && !row.is_in_storm;
    // What was in the thread of a card that somebody deleted is not repeated in that of the next.
    const gone = sent.filter(({ at }) => new Date(at).getTime() < Number.parseFloat(ts ?? '') * 1_000).length;
    const isTold = alerts.every((count) => count >= 1) || service.mutes.some(({ value }) => value === id);
    const isComplete = row.is_of_storm // the storm has told some of the steps
      ? sent.length >= 2
      : gone + steps.length >= 2 && isTold; // nobody is told directly while it is muted
    if (needsSomebody && !isComplete) {
      broken.push(
        `${id}: nobody acknowledged it; reminders: ${steps.join(', ')}; direct messages: ${alerts.join(', ')}; card ${ts}; sent: ${JSON.stringify(sent)}${row.is_of_storm ? '; of a storm' : ''}`,
      );
    }
  }
  const storms = await stormsOf(world);
  for (const id of byIncident.keys()) {
    if (typeof id !== 'string' || !(incidents.includes(id) || storms.some(({ subject }) => subject === id))) {
      broken.push(`a reminder of the unknown incident ${String(id)}`);
    }
  }
  return broken;
}

interface StateRow {
  readonly incident_id: string;
  readonly opened_at: Date;
  readonly closed_at: Date | null;
  readonly acknowledged_at: string | null;
  readonly ts: string | null;
  readonly sent: readonly { readonly at: string }[];
  readonly is_of_storm: boolean;
  /** Its storm has not ended, and is reminded of in its place. */
  readonly is_in_storm: boolean;
}

function alertsAbout({ slack }: World, person: string, incidentId: string) {
  return directMessages(slack, person).filter(
    ({ metadata }) => metadata?.event_type === 'tocsin_alert' && metadata.event_payload.about_id === incidentId,
  );
}

interface StormRow {
  readonly subject: string;
  readonly ts: string | null;
  readonly ended_at: string | null;
  readonly sent: readonly { readonly name: string; readonly at: string }[];
  /** Its open incidents that nobody has acknowledged. */
  readonly untaken: number;
  readonly since: Date | null;
}

function stormsOf(world: World): Promise<StormRow[]> {
  return world.query<StormRow>(`
    select storm.subject, storm.ts, storm.data->>'endedAt' as ended_at, coalesce(storm.data->'reminded'->'sent', '[]') as sent,
      count(incident_id)::integer as untaken, min(opened_at) as since
    from messages as storm
    left join (messages as card join incidents on incident_id = card.subject and is_open and not is_acknowledged)
      on card.storm_id = storm.id and card.kind = 'card'
    where storm.kind = 'storm' and storm.channel_id = 'C0INCIDENT'
    group by storm.id`);
}

/** A storm is escalated in the thread of its message: each step once, and all of them if nobody reacts. */
async function brokenStormReminders(world: World): Promise<string[]> {
  const { slack } = world;
  const broken: string[] = [];
  const all = slack.messages('incidents').filter(({ metadata }) => metadata?.event_type === 'tocsin_reminder');
  for (const { subject, ts, ended_at, sent, untaken, since } of await stormsOf(world)) {
    const reminders = all.filter(({ metadata }) => metadata?.event_payload.about_id === subject);
    const inThread = reminders.filter(({ threadTs }) => threadTs === ts);
    const alerts = PEOPLE.map((person) => alertsAbout(world, person, subject).length);
    const told = sent.filter(({ at }) => since !== null && new Date(at) >= since).length;
    if (inThread.length > sent.length || alerts.some((count) => count > sent.length)) {
      broken.push(`storm ${subject}: ${sent.length} steps, ${inThread.length} reminders, alerts: ${alerts.join(', ')}`);
    }
    const endMs = ended_at === null ? Number.POSITIVE_INFINITY : new Date(ended_at).getTime();
    if (reminders.some((reminder) => Number.parseFloat(reminder.ts) * 1_000 > endMs + 1_000)) {
      broken.push(`storm ${subject}: was reminded of after it had ended`);
    }
    if (ts !== null && untaken > 0 && told < 2) {
      broken.push(`storm ${subject}: nobody acknowledged ${untaken} of its incidents, and ${told} steps were told`);
    }
  }
  return broken;
}

/** Nobody is reminded of an incident while it is snoozed. */
function remindersDuringSnoozes(world: World): string[] {
  const { slack, service } = world;
  const reminders = slack
    .messages('incidents')
    .filter(({ metadata }) => metadata?.event_type === 'tocsin_reminder')
    .map((message) => ({ ...message, about: message.metadata?.event_payload.about_id }));
  return service.mutes.flatMap(({ value: incidentId, from, until }) =>
    [
      ...reminders.filter(({ about }) => about === incidentId),
      ...PEOPLE.flatMap((person) => alertsAbout(world, person, incidentId)),
    ]
      .map(({ ts }) => Number.parseFloat(ts) * 1_000)
      .filter((atMs) => atMs > from.getTime() + UNTIL_READ_MS && atMs < until.getTime())
      .map(
        (atMs) =>
          `${incidentId}: was reminded of at ${new Date(atMs).toISOString()} during the snooze from ${from.toISOString()}`,
      ),
  );
}
