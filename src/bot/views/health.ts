import type { FiguresRead } from '../monitoring/counters.ts';
import type { RateLimit } from '../store/limits.ts';
import type { SlackMessage } from './message.ts';
import { dateToken, inline, mrkdwn, plural } from './mrkdwn.ts';

export interface Health {
  readonly figures: FiguresRead;
  /** Cards that are not as they should be, by what they wait for. */
  readonly waiting: {
    readonly person: number;
    readonly opened: number;
    readonly state: number;
    readonly count: number;
  };
  readonly withheld: number;
  readonly keptActions: number;
  readonly lastLimit: RateLimit | null;
  readonly service: {
    /** null: not asked yet. */
    readonly isAnswering: boolean | null;
    /** When it last answered; null: not since the start. */
    readonly answeredAt: Date | null;
    /** Whether it tells of changes by itself, so that nothing waits for the next poll. */
    readonly isFollowed: boolean;
  };
  readonly now: Date;
}

/** How late the board is and why, for one person's eyes. */
export function healthMessage(health: Health): SlackMessage {
  const lines = [
    '*How the board is*',
    `• Service: ${serviceWords(health)}`,
    `• Lag of cards: ${lagWords(health.figures.lag)}`,
    `• Waiting: ${waitingWords(health)}`,
    `• Last limit by Slack: ${limitWords(health)}`,
    `• Since the start of this process: ${plural(health.figures.cardsShown, 'change')} of cards shown, ${plural(health.figures.limits, 'limit')}, ${plural(health.figures.healed, 'card')} healed`,
  ];
  const text = lines.join('\n');
  return { text, blocks: [{ type: 'section', text: mrkdwn(text) }] };
}

function serviceWords({ service, now }: Health): string {
  if (service.isAnswering === null) {
    return 'not asked yet';
  }
  if (service.answeredAt === null) {
    return '🔴 has not answered since the start';
  }
  const at = dateToken(service.answeredAt.toISOString());
  return service.isAnswering
    ? `answers, read ${seconds(now.getTime() - service.answeredAt.getTime())} ago, ${service.isFollowed ? 'and tells of changes at once' : 'polled for changes'}`
    : `🔴 does not answer; what cards show is from ${at}`;
}

function lagWords(lag: FiguresRead['lag']): string {
  return lag === null
    ? 'this process has shown no change yet'
    : `p50 ${seconds(lag.p50Ms)}, p95 ${seconds(lag.p95Ms)} over the last ${plural(lag.changes, 'change')}`;
}

function waitingWords({ waiting, withheld, keptActions }: Health): string {
  const lanes = [
    [waiting.person, "by a person's action"],
    [waiting.opened, 'new'],
    [waiting.state, 'with a new state'],
    [waiting.count, 'with new counts'],
  ] as const;
  const cards = lanes.reduce((total, [count]) => total + count, 0);
  const parts = lanes.filter(([count]) => count > 0).map(([count, what]) => `${count.toLocaleString('en')} ${what}`);
  return [
    cards === 0 ? 'no card' : `${plural(cards, 'card')} (${parts.join(', ')})`,
    withheld === 0 ? '' : `${plural(withheld, 'card')} withheld by a storm`,
    keptActions === 0 ? '' : `${plural(keptActions, 'action')} of people, for the service`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}

function limitWords({ lastLimit, now }: Health): string {
  if (lastLimit === null) {
    return 'none so far';
  }
  const until = dateToken(lastLimit.pausedUntil.toISOString());
  const state = lastLimit.pausedUntil > now ? `holds until ${until}` : `over since ${until}`;
  return `${lastLimit.method} in <#${inline(lastLimit.channelId, 40)}>, ${state}`;
}

function seconds(ms: number): string {
  if (ms < 50) {
    return 'under 0.1 s';
  }
  return ms < 100_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}
