/** Times are milliseconds since 1970 by the clock of this machine, which service, Slack and watcher share. */
export type State = 'open' | 'acknowledged' | 'closed';

/** The true state of an incident, from the service. */
export interface TrueIncident {
  readonly id: string;
  readonly rootService: string;
  readonly openedAt: number;
  readonly acknowledgedAt: number | null;
  readonly closedAt: number | null;
}

/** The card of an incident, as observed over time. */
export interface SeenCard {
  readonly incidentId: string;
  readonly postedAt: number;
  readonly lastSeenAt: number;
  readonly isStanding: boolean;
  /** The states it showed and since when, oldest first. `unreadable`: no state was found. */
  readonly states: readonly { readonly state: State | 'unreadable'; readonly at: number }[];
}

/** All observations up to the time `at`. */
export interface Observed {
  readonly at: number;
  readonly incidents: readonly TrueIncident[];
  readonly cards: readonly SeenCard[];
  /** Texts of the current storm cards. An incident whose root service is in one of them needs no card of its own. */
  readonly storms: readonly string[];
}

export interface Times {
  /** In milliseconds; null: no values. */
  readonly median: number | null;
  readonly worst: number | null;
}

export interface Score {
  readonly incidents: number;
  /** Incidents with a card. */
  readonly posted: number;
  /** Incidents in a storm card instead. */
  readonly inStorm: number;
  /** Incidents with neither. */
  readonly lost: number;
  /** Duplicate cards of the same incident. */
  readonly doubled: number;
  /** Cards that show another state than the service, or showed a state before the service had it. */
  readonly wrong: number;
  /** From the opening of an incident to its first card. */
  readonly timeToCard: Times;
  /** From a change of state at the service until a card shows it. */
  readonly timeToTrueCard: Times;
}

const RANK: Readonly<Record<State | 'unreadable', number>> = { unreadable: -1, open: 0, acknowledged: 1, closed: 2 };

/** @param patienceMs delays up to this do not count */
export function score(day: Observed, patienceMs = 0): Score {
  const isDue = (since: number): boolean => day.at - since >= patienceMs;
  const cardsOf = Map.groupBy(day.cards, ({ incidentId }) => incidentId);
  const standing = (id: string): boolean => (cardsOf.get(id) ?? []).some(({ isStanding }) => isStanding);
  const untold = day.incidents.filter(({ id }) => !standing(id));
  const [inStorm, without] = partition(untold, ({ rootService }) =>
    day.storms.some((words) => words.includes(rootService)),
  );
  const lost = without.filter(({ id, openedAt }) => isDue(lastTold(cardsOf.get(id) ?? []) ?? openedAt));
  const known = new Map(day.incidents.map((incident) => [incident.id, incident]));
  const wrong = day.cards.filter((card) => {
    const incident = known.get(card.incidentId);
    return incident !== undefined && (isPremature(card, incident) || isOutdated(card, incident, isDue));
  });
  return {
    incidents: day.incidents.length,
    posted: day.incidents.length - untold.length,
    inStorm: inStorm.length,
    lost: lost.length,
    doubled: [...cardsOf.values()].reduce((sum, cards) => sum + countDuplicates(cards), 0),
    wrong: wrong.length,
    timeToCard: summarize(day.incidents.flatMap((incident) => timesToCard(incident, cardsOf.get(incident.id) ?? []))),
    timeToTrueCard: summarize(
      day.incidents.flatMap((incident) => timesToTrueCard(incident, cardsOf.get(incident.id) ?? [])),
    ),
  };
}

function stateOf({ acknowledgedAt, closedAt }: TrueIncident): { readonly state: State; readonly since: number | null } {
  if (closedAt !== null) {
    return { state: 'closed', since: closedAt };
  }
  return acknowledgedAt === null ? { state: 'open', since: null } : { state: 'acknowledged', since: acknowledgedAt };
}

function isPremature({ states }: SeenCard, incident: TrueIncident): boolean {
  const since = { open: incident.openedAt, acknowledged: incident.acknowledgedAt, closed: incident.closedAt };
  return states.some(({ state, at }) => state !== 'unreadable' && at < (since[state] ?? Number.POSITIVE_INFINITY));
}

function isOutdated(card: SeenCard, incident: TrueIncident, isDue: (since: number) => boolean): boolean {
  const { state, since } = stateOf(incident);
  return card.isStanding && card.states.at(-1)?.state !== state && isDue(since ?? card.postedAt);
}

/** When the last card of an incident without a current card was seen. */
function lastTold(cards: readonly SeenCard[]): number | null {
  return cards.length === 0 ? null : Math.max(...cards.map(({ lastSeenAt }) => lastSeenAt));
}

/** Counts cards that appeared before an earlier one had disappeared. */
function countDuplicates(cards: readonly SeenCard[]): number {
  const [first, ...rest] = cards.toSorted((one, other) => one.postedAt - other.postedAt);
  let duplicates = 0;
  let coveredUntil = first?.lastSeenAt ?? 0;
  for (const { postedAt, lastSeenAt } of rest) {
    duplicates += postedAt <= coveredUntil ? 1 : 0;
    coveredUntil = Math.max(coveredUntil, lastSeenAt);
  }
  return duplicates;
}

function timesToCard({ openedAt }: TrueIncident, cards: readonly SeenCard[]): number[] {
  return cards.length === 0 ? [] : [Math.max(0, Math.min(...cards.map(({ postedAt }) => postedAt)) - openedAt)];
}

/** A card that shows a later state also counts for the earlier ones. */
function timesToTrueCard(incident: TrueIncident, cards: readonly SeenCard[]): number[] {
  const changes = [
    { state: 'acknowledged', at: incident.acknowledgedAt },
    { state: 'closed', at: incident.closedAt },
  ] as const;
  return changes.flatMap(({ state, at }) => {
    const told = cards.flatMap(({ states }) => states.filter((seen) => RANK[seen.state] >= RANK[state]));
    return at === null || told.length === 0 ? [] : [Math.max(0, Math.min(...told.map((seen) => seen.at)) - at)];
  });
}

function summarize(times: readonly number[]): Times {
  const sorted = times.toSorted((one, other) => one - other);
  return {
    median: sorted[Math.floor((sorted.length - 1) / 2)] ?? null,
    worst: sorted.at(-1) ?? null,
  };
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

interface Metric {
  readonly label: string;
  readonly value: string;
  /** Tocsin must prevent this. */
  readonly alarming: boolean;
}

/** The score, in the order of the panel. */
export function metricsOf(score: Score): readonly Metric[] {
  const count = (label: string, value: number | string): Metric => ({ label, value: String(value), alarming: false });
  const fault = (label: string, value: number): Metric => ({ label, value: String(value), alarming: value > 0 });
  return [
    count('Incidents', score.incidents),
    count('Posted', score.posted),
    ...(score.inStorm > 0 ? [count('In a storm card', score.inStorm)] : []),
    fault('Lost', score.lost),
    fault('Doubled', score.doubled),
    fault('Wrong cards', score.wrong),
    count('Time to card, median / worst', timesText(score.timeToCard)),
    count('Time to correct card, median / worst', timesText(score.timeToTrueCard)),
  ];
}

function timesText({ median, worst }: Times): string {
  return median === null || worst === null ? '–' : `${seconds(median)} / ${seconds(worst)} s`;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
