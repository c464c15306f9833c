import { findBrokenActions } from './action-invariants.ts';
import { answersIn, answersTo, directMessages, PEOPLE } from './people.ts';
import { findBrokenReminders } from './reminder-invariants.ts';
import { cardsIn, type History } from './run-plan.ts';
import { OTHER_CHANNEL, type World } from './world.ts';

export const INCIDENTS: Watched = { channel: 'incidents', id: 'C0INCIDENT', wants: () => true };
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

/** Answers that promise another one. */
const NOT_FINAL = / is saved\. /;
/** Says that a mute starts later; there is another answer when it does. */
const PLANNED = /Planned: /;
/** Answers that do not name an incident. */
const NAMELESS =
  /^(Something went wrong on my side|Slack did not open|The incident service|No incident |The mute has ended|That mute has ended|Your mute is cancelled|There's nothing (left )?to cancel|Too late to cancel)/;

interface CardRow {
  readonly incident_id: string;
  readonly storm_ts: string | null;
  readonly is_withheld: boolean;
}

/** Notes for the thread of a card that comes when its storm ends. */
const NOTES_OF_STORMS = `
  select actions.id from actions join messages on messages.kind = 'card' and subject = incident_id and is_withheld
  where actions.kind = 'note' and settled_at is null`;

/** Lists unfinished work; empty: none. */
export async function findWaiting(world: World): Promise<string[]> {
  const rows = await world.query<{ what: string }>(`
    select kind || ' of ' || subject as what from messages
      where needs_redraw and not is_withheld
        and (held_until is null or held_until < clock_now() + interval '2 minutes') and (kind <> 'storm' or data->>'endedAt' is not null)
    union all select 'action ' || kind || ' ' || data::text from actions where settled_at is null
      and coalesce((data->>'startsAt')::timestamptz, clock_now()) < clock_now() + interval '10 minutes'
      and id not in (${NOTES_OF_STORMS})
    union all select 'answer to ' || kind || ' ' || data::text from actions where answer is not null`);
  return rows.map(({ what }) => what);
}

/** Lists violations of the final state; empty: none. */
export async function findBroken(world: World, history: History): Promise<string[]> {
  return [
    ...(await brokenCards(world, history)),
    ...(await brokenCards(world, history, OTHER)),
    ...(await findBrokenReminders(world, history)),
    ...(await repeatedMessages(world, history)),
    ...brokenAnswers(world, history),
    ...brokenNotes(world, history),
    ...(await brokenTimelineNotes(world, history)),
    ...brokenHomes(world, history),
    ...brokenHandovers(world),
    ...(await findBrokenActions(world)),
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
  const asked = await world.query<{ slack_user_id: string; about: string }>(
    "select slack_user_id, coalesce(incident_id, data->>'service', data->>'value') as about from actions",
  );
  const nameOf = (about: string) => (incidents.includes(about) ? service.incident(about).rootService : about);
  for (const [person, messages] of direct) {
    const { id: slackUserId } = slack.as(person);
    const answers = messages
      .filter(({ metadata }) => metadata?.event_type !== 'tocsin_alert')
      .flatMap(({ blocks }) => answersIn(blocks));
    for (const name of new Set([...incidents, ...asked.map(({ about }) => about)].map(nameOf))) {
      const about = answers.filter((text) => text.includes(name) && !PLANNED.test(text));
      const mine = asked.filter((row) => row.slack_user_id === slackUserId && nameOf(row.about) === name).length;
      if (about.length > mine) {
        broken.push(`${person} asked ${mine} times of ${name} and was answered: ${JSON.stringify(about)}`);
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
      // The card of an incident that was closed while it was muted is not posted.
      if (status === 'open' || service.mutes.every(({ value }) => value !== id)) {
        broken.push(`${id}: not stored by the bot`);
      }
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
    const wasMuted = service.mutes.some(({ value }) => value === id);
    const mayBeGone = status === 'closed' && (deleted.length > 0 || wasMuted);
    if (shown.length > 1 || (shown.length === 0 && !mayBeGone)) {
      broken.push(`${id} (${status}): ${shown.length} cards`);
    }
    for (const { text } of shown) {
      const state =
        status === 'closed' ? /^Closed/m : acknowledgedBy === null ? /^Not acknowledged/m : /^Acknowledged/m;
      if (!state.test(text)) {
        broken.push(`${id}: is ${status}, acknowledged by ${acknowledgedBy}, and its card says ${text}`);
      }
      const signals = service.signalCount(id);
      if (status === 'open' && !new RegExp(`\\b${signals} signals?\\b`).test(text)) {
        broken.push(`${id}: has ${signals} signals, and its card says ${text}`);
      }
      if (/⏳ Waiting|has not responded since/.test(text)) {
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

function brokenAnswers({ slack, unclear }: World, { asks }: History): string[] {
  const broken: string[] = [];
  for (const person of PEOPLE) {
    const told = [...answersTo(slack, person), ...unclear].filter((text) => !NOT_FINAL.test(text));
    const opened = slack.calls.filter(
      ({ method, verdict }) => method === 'views.open' && verdict !== 'expired_trigger_id',
    );
    let nameless = told.filter((text) => NAMELESS.test(text)).length;
    const mine = asks.filter((ask) => ask.person === person && ask.shown === null);
    for (const [name, ofName] of Map.groupBy(mine, (ask) => ask.about)) {
      const about = (text: string) =>
        name === null
          ? /^(⏳ Acknowledging|There's nothing left to acknowledge|That storm)/u.test(text)
          : text.includes(name);
      const answers =
        told.filter((text) => about(text) && !NAMELESS.test(text)).length +
        opened.filter(({ args }) => name !== null && JSON.stringify(args).includes(name)).length;
      const missing = ofName.length - answers;
      if (missing > nameless) {
        broken.push(
          `${person} asked ${ofName.map(({ what }) => what).join(', ')} of ${name ?? 'a storm'} and had ${answers} answers: ${JSON.stringify(told.filter(about))}`,
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
      return isTaken === true && !isThere && !answersTo(slack, person).some((text) => text.includes(note));
    })
    .map(({ person, incidentId, note }) => `the note "${note}" of ${person} on ${incidentId} is lost`);
}

/**
 * A note for the timeline is at the service once, or once in the thread of each card, or waits for the end of a storm, or
 * its author has it back.
 */
async function brokenTimelineNotes(world: World, { timelineNotes, deleted }: History): Promise<string[]> {
  const { slack, service, shape } = world;
  const broken: string[] = [];
  const waiting = await world.query<{ note: string }>(
    `select data->>'note' as note from actions where id in (${NOTES_OF_STORMS})`,
  );
  for (const { person, note, isTaken } of timelineNotes) {
    const atService = service.notes.filter(({ text }) => text === note).length;
    const inThreads = ['incidents', OTHER_CHANNEL.name].map(
      (channel) => slack.messages(channel).filter(({ text }) => text.includes(note)).length,
    );
    const isReturned = answersTo(slack, person).some((text) => text.includes(note));
    const isThere = shape === 'added' ? atService === 1 : inThreads.some((count) => count > 0) || deleted.length > 0;
    if (isTaken === true && !isThere && !isReturned && waiting.every((each) => each.note !== note)) {
      broken.push(`the note "${note}" of ${person} for the timeline is lost`);
    }
    if (atService > 1 || (shape === 'added' && inThreads.some((count) => count > 0))) {
      broken.push(`the note "${note}" is ${atService} times at the service, and in threads: ${inThreads.join(', ')}`);
    }
    if (inThreads.some((count) => count > 1)) {
      broken.push(`the note "${note}" is in threads more than once: ${inThreads.join(', ')}`);
    }
  }
  return broken;
}

/**
 * The Home tab of each person who opened it shows what is open, and nothing else. It may be empty if the process died that
 * was told of the opening: Slack does not tell again.
 */
function brokenHomes({ slack, service }: World, { homes, incidents, trace }: History): string[] {
  const isBotKilled = trace.some(({ line }) => line.includes('kill a bot'));
  const open = incidents.filter((id) => service.incident(id).status === 'open');
  return [...homes].flatMap((person) => {
    const shown = JSON.stringify(slack.homeView(person)?.content ?? null);
    const count = open.length === 0 ? 'No open incidents' : `${open.length} open incident`;
    const openRoots = open.map((id) => service.incident(id).rootService);
    const closed = incidents.filter((id) => {
      const root = service.incident(id).rootService;
      return !openRoots.includes(root) && shown.includes(root);
    });
    return (shown === 'null' && isBotKilled) || (shown.includes(count) && closed.length === 0)
      ? []
      : [`the Home tab of ${person} must say "${count}" and nothing of ${closed.join(', ')}: ${shown}`];
  });
}

/** The handover is posted once if its time was on a weekday, and not at all otherwise. */
function brokenHandovers({ slack, handoverAt }: World): string[] {
  const isDue = ![0, 6].includes(handoverAt.getUTCDay());
  const count = ['incidents', OTHER_CHANNEL.name].map(
    (channel) => slack.messages(channel).filter(({ metadata }) => metadata?.event_type === 'tocsin_handover').length,
  );
  return count[0] === (isDue ? 1 : 0) && count[1] === 0 ? [] : [`handovers in the channels: ${count.join(', ')}`];
}
