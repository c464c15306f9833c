import type { KnownBlock } from '@slack/types';
import type { Schedule, Shift } from '../../../contract/on-call.ts';
import type { OnCallAnswer, Page } from '../../../contract/waking.ts';
import { plural } from '../../../incident/phrase.ts';
import { answer } from '../../blocks/answer.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { fitting } from '../../blocks/message.ts';
import { bold, code, dateToken, inline, mrkdwn, plainText } from '../../blocks/mrkdwn.ts';
import { whatFails } from '../../incident/incident-words.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { wakeButton } from '../wake/wake-button.ts';

const NAME_LENGTH = 80;
/** Schedules in one message. */
const MOST_SHOWN = 20;

/** @param self the id of the person who reads; null: the service does not know them */
export function onCallMessage(schedules: readonly Schedule[], self: string | null): SlackMessage {
  const lines = schedules.slice(0, MOST_SHOWN).map((schedule) => lineOf(schedule, self));
  const rest = schedules.length - lines.length;
  return answer([...lines, ...(rest > 0 ? [`and ${rest} more: name one to see it`] : [])].join('\n'));
}

function lineOf({ name, on_call: onCall, next }: Schedule, self: string | null): string {
  const who = onCall === null ? 'nobody' : `${nameOf(onCall)}${onCall.id === self ? ' (you)' : ''}`;
  const then =
    next === null || next === undefined
      ? ''
      : `, then ${next.person === null ? 'nobody' : nameOf(next.person)} from ${dateToken(next.from)}`;
  return `${bold(inline(name, NAME_LENGTH))}: ${who}${then}`;
}

function nameOf({ name }: { readonly name: string }): string {
  return inline(name, NAME_LENGTH);
}

export function takenMessage({ name }: Schedule, until: Date): SlackMessage {
  return answer(`You are on call for ${inline(name, NAME_LENGTH)} until ${dateToken(until.toISOString())}.`);
}

/** @param meant the schedule whose name is closest; null: none is close */
export function whichSchedule(typed: string, meant: string | null, names: readonly string[]): SlackMessage {
  const guess = meant === null ? '' : ` Did you mean ${inline(meant, NAME_LENGTH)}?`;
  const known = names.slice(0, MOST_SHOWN).map((name) => inline(name, NAME_LENGTH));
  const said = typed === '' ? 'Which schedule?' : `There is no schedule ${inline(typed, NAME_LENGTH)}.${guess}`;
  return answer(`${said} Schedules: ${known.join(', ')}.`);
}

export function noSchedules(): SlackMessage {
  return answer('There are no schedules yet. They are made in the dashboard, under On call.');
}

export function notOffered(): SlackMessage {
  return answer('This incident service does not offer schedules of who is on call.');
}

/** People of one step, and reasons why others are not woken. */
const MOST_NAMED = 4;

const WAY_WORDS: Readonly<Record<string, string>> = {
  email: 'e-mail',
  slack: 'Slack',
  web_push: 'web push',
};

/** "Ana (on call in Payments) by Slack, then e-mail": whom a service would wake now, step by step, and why. */
export function whoIsWoken({ service, policy, steps }: OnCallAnswer): SlackMessage {
  if (policy === null) {
    return answer(`Nobody would be woken for ${inline(service, NAME_LENGTH)}: no policy is for it.`);
  }
  const heading = `For ${bold(inline(service, NAME_LENGTH))}, the policy ${inline(policy.name, NAME_LENGTH)} would wake now:`;
  return answer(fitting([heading, ...steps.map(stepWords)], LIMITS.sectionText).join('\n'));
}

function stepWords(
  { after_s: afterS, people, channels, skipped }: OnCallAnswer['steps'][number],
  index: number,
): string {
  const whom = [
    ...people.slice(0, MOST_NAMED).map(({ name, because, ways }) => {
      const by = ways.map(({ kind }) => WAY_WORDS[kind] ?? kind).join(', then ');
      return `${inline(name, NAME_LENGTH)} (${inline(because, NAME_LENGTH)}) by ${by}`;
    }),
    ...(channels === 0 ? [] : [plural(channels, 'channel')]),
  ];
  const after = afterS === 0 ? '' : `after ${afterS < 60 ? `${afterS} s` : `${Math.round(afterS / 60)} min`}: `;
  const left = skipped.slice(0, MOST_NAMED).map((why) => `${inline(why, 200)}.`);
  return `${index + 1}. ${after}${[whom.join('; ') || 'nobody', ...left].join('. ')}`;
}

/**
 * What "Show" says: who is on call for an incident, and who is or would be woken.
 *
 * @param pages of the incident, newest first; @param isWanted whether nobody has it
 */
export function onCallLines(
  { policy, steps }: OnCallAnswer,
  schedules: readonly Schedule[],
  pages: readonly Page[],
  isWanted: boolean,
): string[] {
  const because = steps.flatMap(({ people, skipped }) => [...people.map((person) => person.because), ...skipped]);
  const used = schedules.filter(({ name }) => because.some((why) => why.includes(`on call in ${name}`)));
  const names = new Map(steps.flatMap(({ people }) => people.map(({ id, name }) => [id, name])));
  const live = pages.find(({ ended_at: endedAt }) => endedAt === null);
  const asked = live?.attempts.filter(({ state }) => !['void', 'planned'].includes(state)) ?? [];
  const woken = [...new Set(asked.map((attempt) => attemptWords(attempt, names)))];
  const would = steps.flatMap(({ people }) => people.map(({ name }) => inline(name, NAME_LENGTH)));
  return [
    ...used.map((schedule) => `On call: ${dutyWords(schedule)} (${inline(schedule.name, NAME_LENGTH)})`),
    ...(woken.length > 0 ? [`Being woken: ${woken.join(', ')}`] : []),
    ...(woken.length === 0 && isWanted && policy !== null && would.length > 0
      ? [`Would be woken: ${[...new Set(would)].join(', then ')}`]
      : []),
  ];
}

function attemptWords({ person_id: id, way, state }: Page['attempts'][number], names: ReadonlyMap<string, string>) {
  const who = id === null ? 'a channel' : inline(names.get(id) ?? 'somebody', NAME_LENGTH);
  return `${who} by ${WAY_WORDS[way] ?? way} (${state})`;
}

/** "Ana, next Ben 09:00". */
function dutyWords({ on_call: onCall, next }: Schedule): string {
  const then = next?.person ? `, next ${nameOf(next.person)} ${dateToken(next.from)}` : '';
  return `${onCall === null ? 'nobody' : nameOf(onCall)}${then}`;
}

export interface OnCallHome {
  readonly schedules: readonly Schedule[];
  /** My next turn; null: none is near. */
  readonly mine: (Shift & { readonly schedule: string }) | null;
  /** What I am being woken for, in mrkdwn, with the value of the button. */
  readonly live: readonly { readonly text: string; readonly answer: string }[];
}

/** Characters for the line about the reader. */
const ROOM_FOR_TURN = 400;

/** What the Home tab says to its reader. */
export function onCallHome({ schedules, mine, live }: OnCallHome): KnownBlock[] {
  if (schedules.length === 0 && live.length === 0) {
    return [];
  }
  const lines = schedules
    .slice(0, MOST_SHOWN)
    .map((each) => `${bold(inline(each.name, NAME_LENGTH))}: ${dutyWords(each)}`);
  const turn =
    mine === null
      ? 'You have no turn in the next 30 days.'
      : `Your next turn: ${inline(mine.schedule, NAME_LENGTH)}, ${dateToken(mine.from)} to ${dateToken(mine.to)}.`;
  return [
    { type: 'header', text: plainText('On call', LIMITS.headerText) },
    ...live.slice(0, MOST_NAMED).map(
      ({ text, answer: value }, index): KnownBlock => ({
        type: 'section',
        text: mrkdwn(`🔔 You are being woken: ${text}`),
        accessory: wakeButton(value, `I have it, ${index + 1}: ${text}`),
      }),
    ),
    ...(lines.length === 0
      ? []
      : [
          {
            type: 'section',
            text: mrkdwn([...fitting(lines, LIMITS.sectionText - ROOM_FOR_TURN), turn].join('\n')),
          } satisfies KnownBlock,
        ]),
  ];
}

const MOST_OPEN = 10;

/** Before a turn begins: what is open, for whoever takes over. */
export function handoverText({ name, on_call: before }: Schedule, from: string, open: readonly Snapshot[]): string {
  const lines = open.slice(0, MOST_OPEN).map((incident) => `• ${whatFails(incident)}`);
  const rest = open.length - lines.length;
  return [
    `Your turn for ${bold(inline(name, NAME_LENGTH))} begins ${dateToken(from)}. Until then: ${before === null ? 'nobody' : nameOf(before)}.`,
    open.length === 0 ? 'Nothing is open.' : `${plural(open.length, 'incident')} open:`,
    ...lines,
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ].join('\n');
}

/** In the channels, once. */
export function nobodyForGroup(usergroup: string, schedules: readonly string[]): string {
  const names = schedules.map((name) => inline(name, NAME_LENGTH)).join(', ');
  return `Nobody whom Slack knows is on call in ${names}, so the user group ${code(usergroup, NAME_LENGTH)} keeps the people it has.`;
}

export function noTurns(): SlackMessage {
  return answer('You have no turn in the next 30 days, so there is none to swap.');
}

export function drilled(policy: string): SlackMessage {
  return answer(
    `A drill of ${inline(policy, NAME_LENGTH)} has begun: people are woken as for an incident, until somebody says “I have it”.`,
  );
}

export function whichPolicy(names: readonly string[]): SlackMessage {
  return answer(
    names.length === 0
      ? 'There are no policies yet. They are made in the dashboard, under Settings, Policies.'
      : `Which policy? Policies: ${names
          .slice(0, MOST_SHOWN)
          .map((name) => inline(name, NAME_LENGTH))
          .join(', ')}.`,
  );
}

export function wayAdded(): SlackMessage {
  return answer('I sent you a direct message. Press “I have it” in it, so that it counts as a way to wake you.');
}
