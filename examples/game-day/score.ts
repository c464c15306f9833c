/** Times are milliseconds since 1970, by the one clock of the machine that service, Slack and watcher share. */
export type State = 'open' | 'acknowledged' | 'closed';

/** An incident as the service knows it: the truth. */
export interface TrueIncident {
  readonly id: string;
  readonly rootService: string;
  readonly openedAt: number;
  readonly acknowledgedAt: number | null;
  readonly closedAt: number | null;
  readonly note: string | null;
}

/** A message that is the card of an incident, as it was seen over time. */
export interface SeenCard {
  readonly incidentId: string;
  readonly postedAt: number;
  readonly lastSeenAt: number;
  readonly isStanding: boolean;
  /** What it said and since when, oldest first. `unreadable`: it names no state. */
  readonly states: readonly { readonly state: State | 'unreadable'; readonly at: number }[];
}

/** What a person did that calls for an answer. */
export interface Deed {
  readonly at: number;
  readonly isAnswered: boolean;
}

/** A note that a person sent off. */
export interface TypedNote {
  readonly incidentId: string;
  readonly text: string;
  readonly at: number;
}

/** All that is known at the moment `at`. */
export interface Observed {
  readonly at: number;
  readonly incidents: readonly TrueIncident[];
  readonly cards: readonly SeenCard[];
  /** The words of storm cards that stand: an incident whose root service one names needs no card of its own. */
  readonly storms: readonly string[];
  readonly deeds: readonly Deed[];
  readonly notes: readonly TypedNote[];
}

export interface Times {
  readonly count: number;
  /** Milliseconds; null while there is none. */
  readonly median: number | null;
  readonly worst: number | null;
}

export interface Score {
  readonly incidents: number;
  /** With a card now. */
  readonly posted: number;
  /** Told of by a storm card instead. */
  readonly inStorm: number;
  /** With neither. */
  readonly lost: number;
  /** Cards that stood beside another one of the same incident. */
  readonly doubled: number;
  /** Cards that say another state than the service, or said one before the service knew of it. */
  readonly wrong: number;
  readonly deeds: number;
  readonly unanswered: number;
  readonly notes: number;
  /** Not at the service, word for word. */
  readonly notesLost: number;
  /** From the opening of an incident to its first card. */
  readonly timeToCard: Times;
  /** From a change of state at the service until a card says so. */
  readonly timeToTrueCard: Times;
}

const RANK: Readonly<Record<State | 'unreadable', number>> = { unreadable: -1, open: 0, acknowledged: 1, closed: 2 };

/** @param patienceMs what is late by less is still under way, and held against nobody */
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
  const notesLost = day.notes.filter(({ incidentId, text, at }) => isDue(at) && known.get(incidentId)?.note !== text);
  return {
    incidents: day.incidents.length,
    posted: day.incidents.length - untold.length,
    inStorm: inStorm.length,
    lost: lost.length,
    doubled: [...cardsOf.values()].reduce((sum, cards) => sum + countDoubles(cards), 0),
    wrong: wrong.length,
    deeds: day.deeds.length,
    unanswered: day.deeds.filter(({ at, isAnswered }) => !isAnswered && isDue(at)).length,
    notes: day.notes.length,
    notesLost: notesLost.length,
    timeToCard: summarize(day.incidents.flatMap((incident) => timesToCard(incident, cardsOf.get(incident.id) ?? []))),
    timeToTrueCard: summarize(
      day.incidents.flatMap((incident) => timesToTrueCard(incident, cardsOf.get(incident.id) ?? [])),
    ),
  };
}

/** Nothing lost, doubled, wrong or unanswered, and there was something to lose. */
export function isGood({ incidents, lost, doubled, wrong, unanswered, notesLost }: Score): boolean {
  return incidents > 0 && lost + doubled + wrong + unanswered + notesLost === 0;
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

/** When a card was last seen of an incident that has none now. */
function lastTold(cards: readonly SeenCard[]): number | null {
  return cards.length === 0 ? null : Math.max(...cards.map(({ lastSeenAt }) => lastSeenAt));
}

/** Cards that were there before an earlier one had gone. */
function countDoubles(cards: readonly SeenCard[]): number {
  const [first, ...rest] = cards.toSorted((one, other) => one.postedAt - other.postedAt);
  let doubles = 0;
  let coveredUntil = first?.lastSeenAt ?? 0;
  for (const { postedAt, lastSeenAt } of rest) {
    doubles += postedAt <= coveredUntil ? 1 : 0;
    coveredUntil = Math.max(coveredUntil, lastSeenAt);
  }
  return doubles;
}

function timesToCard({ openedAt }: TrueIncident, cards: readonly SeenCard[]): number[] {
  return cards.length === 0 ? [] : [Math.max(0, Math.min(...cards.map(({ postedAt }) => postedAt)) - openedAt)];
}

/** A card that says a later state already says the earlier one too. */
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
    count: sorted.length,
    median: sorted[Math.floor((sorted.length - 1) / 2)] ?? null,
    worst: sorted.at(-1) ?? null,
  };
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
