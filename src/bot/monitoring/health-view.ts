import { plural } from '../../incident/phrase.ts';
import { dateToken, inline, mrkdwn } from '../blocks/mrkdwn.ts';
import { messageOf } from '../blocks/text-of.ts';
import type { Pause } from '../messages/throttle.ts';
import type { SlackMessage } from '../slack/slack-message.ts';
import type { CounterValues } from './counter-values.ts';

export interface Health {
  readonly counters: CounterValues;
  /** Messages that differ from what they should show, by urgency. */
  readonly waiting: Readonly<Record<'person' | 'opened' | 'state' | 'count' | 'reply' | 'withheld', number>>;
  /** When the longest waiting message became due; null: nothing is waiting. */
  readonly oldestSince: Date | null;
  readonly keptActions: number;
  /** Why messages are not being sent and what to do, one sentence each. */
  readonly problems: readonly string[];
  /** Senders that lately sent what was accepted, but not kept or without effect. */
  readonly senders: readonly { readonly name: string; readonly reason: string; readonly at: string }[];
  /** The latest rate limit, even if it has ended; null: none so far. */
  readonly lastLimit: Pause | null;
  readonly service: {
    /** null: not known yet. */
    readonly isAnswering: boolean | null;
    /** When it last responded; null: not since the start. */
    readonly answeredAt: Date | null;
    /** It pushes changes over the event stream. */
    readonly isFollowed: boolean;
  };
  readonly now: Date;
}

/** What fits into a section. */
const MOST_PROBLEMS = 5;

/** The answer to `/incidents health`: how late the cards are and why. */
export function healthMessage(health: Health): SlackMessage {
  const lines = [
    '*Status*',
    ...problemLines(health.problems),
    `• Service: ${serviceWords(health)}`,
    ...senderLines(health.senders),
    `• Card updates: ${lagWords(health.counters.lag)}`,
    `• Waiting: ${waitingWords(health)}`,
    `• Last rate limit: ${limitWords(health)}`,
    `• Since this process started: ${plural(health.counters.cardsShown, 'card update')}, ${plural(health.counters.limits, 'rate limit')}, ${plural(health.counters.repairs, 'repair')}`,
  ];
  const text = lines.join('\n');
  return messageOf([{ type: 'section', text: mrkdwn(text) }]);
}

function problemLines(problems: readonly string[]): string[] {
  const lines = problems.slice(0, MOST_PROBLEMS).map((problem) => `• 🔴 ${inline(problem, 400)}`);
  const others = problems.length - lines.length;
  return others === 0 ? lines : [...lines, `• 🔴 ${plural(others, 'other problem')}: see /readyz of the bot`];
}

function senderLines(senders: Health['senders']): string[] {
  const lines = senders
    .slice(0, MOST_PROBLEMS)
    .map(({ name, reason, at }) => `• 🟡 ${inline(name, 60)}, ${dateToken(at)}: ${inline(reason, 300)}`);
  const others = senders.length - lines.length;
  return others === 0 ? lines : [...lines, `• 🟡 ${plural(others, 'other sender')}: see the dashboard's settings`];
}

function serviceWords({ service, now }: Health): string {
  if (service.isAnswering === null) {
    return 'not contacted yet';
  }
  if (service.answeredAt === null) {
    return '🔴 no response since the bot started';
  }
  const at = dateToken(service.answeredAt.toISOString());
  return service.isAnswering
    ? `responded ${seconds(now.getTime() - service.answeredAt.getTime())} ago, ${service.isFollowed ? 'pushes changes' : 'polled for changes'}`
    : `🔴 no response; cards show the state of ${at}`;
}

function lagWords(lag: CounterValues['lag']): string {
  return lag === null
    ? 'none from this process yet'
    : `half take ${seconds(lag.p50Ms)}, 95 % at most ${seconds(lag.p95Ms)} (last ${plural(lag.changes, 'update')})`;
}

function waitingWords({ waiting, oldestSince, keptActions }: Health): string {
  const urgencies = [
    [waiting.person, 'after an action'],
    [waiting.opened, 'new'],
    [waiting.state, 'with a new state'],
    [waiting.count, 'with new counts'],
    [waiting.reply, 'in threads'],
  ] as const;
  const messages = urgencies.reduce((total, [count]) => total + count, 0);
  const parts = urgencies
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count.toLocaleString('en')} ${what}`);
  const oldest = oldestSince === null ? '' : `, the oldest since ${dateToken(oldestSince.toISOString())}`;
  return [
    messages === 0 ? 'no messages' : `${plural(messages, 'message')} (${parts.join(', ')})${oldest}`,
    waiting.withheld === 0 ? '' : `${plural(waiting.withheld, 'card')} withheld during a storm`,
    keptActions === 0 ? '' : `${plural(keptActions, 'action')} for the service`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}

function limitWords({ lastLimit, now }: Health): string {
  if (lastLimit === null) {
    return 'none';
  }
  const until = dateToken(lastLimit.until.toISOString());
  const state = lastLimit.until > now ? `until ${until}` : `ended ${until}`;
  const where = lastLimit.placeId === null ? '' : ` in <#${inline(lastLimit.placeId, 40)}>`;
  return `${lastLimit.call ?? 'all calls'}${where}, ${state}`;
}

function seconds(ms: number): string {
  if (ms < 50) {
    return 'under 0.1 s';
  }
  return ms < 100_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}
