import { answersIn, directMessages, toldTo } from './people.ts';
import { cardsIn, type History } from './run-plan.ts';
import { OTHER_CHANNEL, REMIND_MINUTES, type World } from './world.ts';

const INCIDENTS: Watched = { channel: 'incidents', id: 'C0INCIDENT', wants: () => true };
/** Its rule wants only some of the incidents. */
const OTHER: Watched = {
  channel: OTHER_CHANNEL.name,
  id: OTHER_CHANNEL.id,
  wants: (service) => service.startsWith(OTHER_CHANNEL.services.replace('*', '')),
};

interface Watched {
  readonly channel: string;
  readonly id: string;
  readonly wants: (service: string) => boolean;
}

const PEOPLE = ['ana', 'ben'] as const;
/** Answers that promise another one. */
const NOT_FINAL = / is saved\. /;
/** Answers that do not name an incident. */
const NAMELESS = /^(Something went wrong on my side|Slack did not open|The incident service)/;

interface CardRow {
  readonly incident_id: string;
  readonly storm_ts: string | null;
  readonly is_withheld: boolean;
}

/** Lists unfinished work; empty: none. */
export async function findWaiting(world: World): Promise<string[]> {
  const rows = await world.query<{ what: string }>(`
    select kind || ' of ' || subject as what from messages
      where needs_redraw and not is_withheld
        and (held_until is null or held_until < clock_now() + interval '2 minutes') and (kind <> 'storm' or data->>'endedAt' is not null)
    union all select 'action ' || kind || ' on ' || incident_id from actions where settled_at is null
    union all select 'answer on ' || incident_id from actions where answer is not null`);
  return rows.map(({ what }) => what);
}

/** Lists violations of the final state; empty: none. */
export async function findBroken(world: World, history: History): Promise<string[]> {
  return [
    ...(await brokenCards(world, history)),
    ...(await brokenCards(world, history, OTHER)),
    ...(await brokenReminders(world, history)),
    ...(await repeatedMessages(world, history)),
    ...brokenAnswers(world, history),
    ...brokenNotes(world, history),
  ];
}

/** What is sent once is there once: no attempt has two messages, and no action is answered directly twice. */
async function repeatedMessages(world: World, { incidents }: History): Promise<string[]> {
  const { slack, service } = world;
  const broken: string[] = [];
  const direct = new Map(PEOPLE.map((person) => [person, directMessages(slack, person)]));
  const all = [...slack.messages('incidents'), ...slack.messages(OTHER.channel), ...[...direct.values()].flat()];
  const attemptOf = ({ metadata }: (typeof all)[number]) => metadata?.event_payload.attempt_id;
  for (const [attemptId, messages] of Map.groupBy(
    all.filter((message) => attemptOf(message) !== undefined),
    attemptOf,
  )) {
    if (messages.length > 1) {
      broken.push(`attempt ${String(attemptId)} has ${messages.length} messages: ${messages[0]?.text}`);
    }
  }
  const asked = await world.query<{ slack_user_id: string; incident_id: string; count: number }>(
    'select slack_user_id, incident_id, count(*)::integer as count from actions group by slack_user_id, incident_id',
  );
  for (const [person, messages] of direct) {
    const { id: slackUserId } = slack.as(person);
    const answers = messages
      .filter(({ metadata }) => metadata?.event_type !== 'tocsin_alert')
      .flatMap(({ blocks }) => answersIn(blocks));
    for (const id of incidents) {
      const about = answers.filter((text) => text.includes(service.incident(id).rootService));
      const mine = asked.find((row) => row.slack_user_id === slackUserId && row.incident_id === id);
      if (about.length > (mine?.count ?? 0)) {
        broken.push(`${person} asked ${mine?.count ?? 0} times of ${id} and was answered: ${JSON.stringify(about)}`);
      }
    }
  }
  return broken;
}

async function brokenCards(
  world: World,
  { incidents: all, deleted }: History,
  { channel, id: channelId, wants }: Watched = INCIDENTS,
): Promise<string[]> {
  const { slack, service } = world;
  const broken: string[] = [];
  const incidents = all.filter((id) => wants(service.incident(id).rootService));
  const rows = await world.query<CardRow>(`
    select card.subject as incident_id, storm.ts as storm_ts, card.is_withheld
    from messages as card left join messages as storm on storm.id = card.storm_id
    where card.kind = 'card' and card.channel_id = '${channelId}'`);
  const known = new Map(rows.map((row) => [row.incident_id, row]));
  const cards = cardsIn(slack, channel);
  const idOf = (card: (typeof cards)[number]) => card.metadata?.event_payload.incident_id;
  const singles = Map.groupBy(
    cards.filter((card) => idOf(card) !== undefined),
    idOf,
  );

  for (const id of incidents) {
    const shown = singles.get(id) ?? [];
    const row = known.get(id);
    const { status, acknowledgedBy } = service.incident(id);
    if (row === undefined) {
      broken.push(`${id}: not stored by the bot`);
      continue;
    }
    const isToldByStorm = row.is_withheld || (row.storm_ts !== null && status === 'closed' && shown.length === 0);
    if (isToldByStorm) {
      if (shown.length > 0) {
        broken.push(`${id}: is in a storm and has ${shown.length} cards of its own`);
      }
      if (!cards.some(({ ts }) => ts === row.storm_ts)) {
        broken.push(`${id}: its storm has no message`);
      }
      continue;
    }
    const mayBeGone = status === 'closed' && deleted.length > 0;
    if (shown.length > 1 || (shown.length === 0 && !mayBeGone)) {
      broken.push(`${id} (${status}): ${shown.length} cards`);
    }
    for (const { text } of shown) {
      const state =
        status === 'closed' ? /: Closed/ : acknowledgedBy === null ? /: Open, not ack/ : /: Open, acknowledged/;
      if (!state.test(text)) {
        broken.push(`${id}: is ${status}, acknowledged by ${acknowledgedBy}, and its card says ${text}`);
      }
      const signals = service.signalCount(id);
      if (status === 'open' && !new RegExp(`\\b${signals} signals?\\b`).test(text)) {
        broken.push(`${id}: has ${signals} signals, and its card says ${text}`);
      }
      if (/is saved and waiting for the incident service|has not responded since/.test(text)) {
        broken.push(`${id}: its card still says ${text}`);
      }
    }
  }
  for (const id of singles.keys()) {
    if (typeof id !== 'string' || !incidents.includes(id)) {
      broken.push(`a card for the unknown incident ${String(id)}`);
    }
  }
  const storms = Map.groupBy(
    cards.filter((card) => idOf(card) === undefined),
    (card) => card.metadata?.event_payload.storm_id,
  );
  for (const [id, messages] of storms) {
    if (messages.length > 1) {
      broken.push(`storm ${String(id)} has ${messages.length} messages`);
    }
  }
  const removed = slack.calls.filter(({ method, verdict }) => method === 'chat.delete' && verdict === 'ok').length;
  if (removed > 0) {
    broken.push(`${removed} duplicates were posted, and removed by the audit`);
  }
  return broken;
}

/** Each step is told once, in time, and never about an incident that needs nobody. */
async function brokenReminders(world: World, { incidents, closedElsewhere }: History): Promise<string[]> {
  const { slack, service } = world;
  const broken: string[] = [];
  const rows = await world.query<StateRow>(`
    select incident_id, opened_at, closed_at, incident->>'acknowledged_at' as acknowledged_at, card.ts,
      coalesce(card.data->'reminded'->'sent', '[]') as sent
    from incidents join messages as card on card.kind = 'card' and card.subject = incident_id
    where card.channel_id = '${INCIDENTS.id}'`);
  const all = slack.messages('incidents').filter(({ metadata }) => metadata?.event_type === 'tocsin_reminder');
  const byIncident = Map.groupBy(all, ({ metadata }) => metadata?.event_payload.incident_id);
  for (const { incident_id: id, opened_at, closed_at, acknowledged_at, ts, sent } of rows) {
    const reminders = byIncident.get(id) ?? [];
    const steps = reminders.map(({ text }) => (text.includes('told directly') ? 'members' : 'group'));
    const alerts = PEOPLE.map((person) => alertsAbout(world, person, id).length);
    const over = [closed_at, acknowledged_at].map((at) =>
      at === null ? Number.POSITIVE_INFINITY : new Date(at).getTime(),
    );
    const endMs = Math.min(...over);
    if (new Set(steps).size < steps.length || alerts.some((count) => count > 1)) {
      broken.push(`${id}: was reminded of more than once: ${steps.join(', ')}; direct messages: ${alerts.join(', ')}`);
    }
    if (reminders.some((reminder) => Number.parseFloat(reminder.ts) * 1_000 > endMs + 1_000)) {
      broken.push(`${id}: was reminded of after it was closed or acknowledged`);
    }
    const closedAt = closedElsewhere.get(id)?.getTime() ?? Number.POSITIVE_INFINITY;
    if (reminders.length > 0 && closedAt < new Date(opened_at).getTime() + REMIND_MINUTES * 60_000) {
      broken.push(`${id}: was reminded of although it was closed before the reminder was due`);
    }
    const { status, acknowledgedBy } = service.incident(id);
    const needsSomebody = status === 'open' && acknowledgedBy === null && ts !== null;
    // What was in the thread of a card that somebody deleted is not repeated in that of the next.
    const gone = sent.filter(({ at }) => new Date(at).getTime() < Number.parseFloat(ts ?? '') * 1_000).length;
    const isComplete = gone + steps.length >= 2 && alerts.every((count) => count === 1);
    if (needsSomebody && !isComplete) {
      broken.push(
        `${id}: nobody acknowledged it; reminders: ${steps.join(', ')}; direct messages: ${alerts.join(', ')}`,
      );
    }
  }
  for (const id of byIncident.keys()) {
    if (typeof id !== 'string' || !incidents.includes(id)) {
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
}

function alertsAbout({ slack }: World, person: string, incidentId: string) {
  return directMessages(slack, person).filter(
    ({ metadata }) => metadata?.event_type === 'tocsin_alert' && metadata.event_payload.incident_id === incidentId,
  );
}

function brokenAnswers({ slack, service }: World, { asks }: History): string[] {
  const broken: string[] = [];
  for (const person of PEOPLE) {
    const told = toldTo(slack, person).filter((text) => !NOT_FINAL.test(text));
    const opened = slack.calls.filter(
      ({ method, verdict }) => method === 'views.open' && verdict !== 'expired_trigger_id',
    );
    let nameless = told.filter((text) => NAMELESS.test(text)).length;
    const mine = asks.filter((ask) => ask.person === person && ask.shown === null);
    for (const [incidentId, ofIncident] of Map.groupBy(mine, (ask) => ask.incidentId)) {
      const name = incidentId === null ? '' : service.incident(incidentId).rootService;
      const about = (text: string) =>
        incidentId === null
          ? /^(⏳ Acknowledging|There's nothing left to acknowledge|That storm)/u.test(text)
          : text.includes(name);
      const answers =
        told.filter((text) => about(text) && !NAMELESS.test(text)).length +
        opened.filter(({ args }) => incidentId !== null && JSON.stringify(args).includes(name)).length;
      const missing = ofIncident.length - answers;
      if (missing > nameless) {
        broken.push(
          `${person} asked ${ofIncident.map(({ what }) => what).join(', ')} of ${incidentId ?? 'a storm'} (${name}) and had ${answers} answers: ${JSON.stringify(told.filter(about))}`,
        );
      }
      nameless -= Math.max(0, Math.min(missing, nameless));
    }
  }
  for (const { person, what, shown } of asks) {
    if (shown === undefined || shown?.startsWith('impossible')) {
      broken.push(`${person}: ${what} ended with ${String(shown)}`);
    }
  }
  return broken;
}

function brokenNotes({ slack, service }: World, { notes }: History): string[] {
  return notes
    .filter(({ person, incidentId, note, isTaken }) => {
      const isThere = service.incident(incidentId).resolutionNote === note;
      return isTaken === true && !isThere && !toldTo(slack, person).some((text) => text.includes(note));
    })
    .map(({ person, incidentId, note }) => `the note "${note}" of ${person} on ${incidentId} is lost`);
}
