import { attemptsOf, followOf, type PlannedAttempt, type Resolved } from './attempts.ts';
import { LOOK_AGAIN_MS, type Ringing, waitsForOther } from './bundle.ts';
import { FIRST, firstDelayS, type Position, pageChange, type WakeFacts, type WakePolicy } from './policy.ts';

/** What waking saw of an incident, oldest first. */
export interface IncidentHistory {
  readonly id: string;
  readonly number: number;
  readonly openedAt: Date;
  readonly states: readonly { readonly at: Date; readonly facts: WakeFacts }[];
}

/** A call that waking would have made. */
export interface Ring extends Position {
  readonly at: Date;
  readonly incidentId: string;
  /** When its page began. */
  readonly pageAt: Date;
  readonly policyId: string;
  /** null: a channel. */
  readonly personId: string | null;
  /** null: a channel. */
  readonly wayId: string | null;
}

/** A page that nobody takes rings for ever; here it is followed for as long. */
export const PAGE_FOLLOWED_MS = 24 * 3_600_000;

interface SimulatedPage {
  readonly incidentId: string;
  readonly policy: WakePolicy;
  readonly startedAt: number;
  position: Position;
  reachedCycle: number;
  isLive: boolean;
}

type Due =
  | { readonly at: number; readonly kind: 'state'; readonly history: IncidentHistory; readonly facts: WakeFacts }
  | { readonly at: number; readonly kind: 'step'; readonly page: SimulatedPage; readonly position: Position }
  | { readonly at: number; readonly kind: 'attempt'; readonly page: SimulatedPage; readonly attempt: Attempt };

type Attempt = PlannedAttempt & Position;

/** Whom each page that is live asks, and when it last rang them; null: it has not yet. */
type Asked = Map<string, Map<SimulatedPage, number | null>>;

/**
 * What waking would have done, by the functions that decide in waking: which policy an incident has, whom a step asks, what
 * waits for what. Every provider accepts every call at once.
 *
 * @param resolve whom a step asked at a time, see `resolveStep`
 * @param most how much is followed; beyond that it ends early
 * @returns `until`: how far it came; null: to the end
 */
export async function simulate(
  histories: readonly IncidentHistory[],
  policies: readonly WakePolicy[],
  resolve: (policy: WakePolicy, position: Position, at: Date) => Promise<Resolved>,
  { until, most, pause }: { readonly until: Date; readonly most: number; readonly pause: () => Promise<void> },
): Promise<{ readonly rings: readonly Ring[]; readonly until: Date | null }> {
  const queue = createQueue<Due>();
  const pages = new Map<string, SimulatedPage>();
  const latest = new Map<string, WakeFacts>();
  const asked: Asked = new Map();
  const rings: Ring[] = [];
  for (const history of histories) {
    for (const { at, facts } of history.states) {
      queue.add({ at: at.getTime(), kind: 'state', history, facts });
    }
  }

  function change({ at, history, facts }: Extract<Due, { kind: 'state' }>): void {
    latest.set(history.id, facts);
    const page = pages.get(history.id);
    const live = page?.isLive === true ? { isHeld: page.position.step < 0, holdS: page.policy.hold_s } : null;
    const what = pageChange(live, { facts, openedAt: history.openedAt }, policies, new Date(at));
    if (what === 'end' && page !== undefined) {
      page.isLive = false;
    } else if (what !== null && what !== 'end') {
      const policy = what.begin;
      const begins = {
        incidentId: history.id,
        policy,
        startedAt: at,
        position: { cycle: 0, step: -1 },
        reachedCycle: -1,
        isLive: true,
      };
      pages.set(history.id, begins);
      queue.add({ at: at + firstDelayS(policy) * 1_000, kind: 'step', page: begins, position: FIRST });
    }
  }

  async function beginStep({ at, page, position }: Extract<Due, { kind: 'step' }>): Promise<void> {
    const { policy } = page;
    const resolved = await resolve(policy, position, new Date(at));
    const { to, afterS } = followOf(policy, position, resolved, page.reachedCycle);
    page.position = position;
    for (const planned of attemptsOf(resolved)) {
      if (planned.personId !== null) {
        const pagesOf = asked.get(planned.personId) ?? new Map<SimulatedPage, number | null>();
        asked.set(planned.personId, pagesOf);
        pagesOf.set(page, pagesOf.get(page) ?? null);
      }
      const attempt = { ...planned, ...position };
      queue.add({ at: at + planned.afterS * 1_000, kind: 'attempt', page, attempt });
    }
    queue.add({ at: at + afterS * 1_000, kind: 'step', page, position: to });
  }

  function ring({ at, page, attempt }: Extract<Due, { kind: 'attempt' }>): void {
    const { personId, wayId, cycle, step } = attempt;
    if (personId !== null) {
      if (waitsForOther(severityOf(page), ringingFor(personId, page, at))) {
        queue.add({ at: at + LOOK_AGAIN_MS, kind: 'attempt', page, attempt });
        return;
      }
      asked.get(personId)?.set(page, at);
    }
    page.reachedCycle = Math.max(page.reachedCycle, cycle);
    const { incidentId, policy } = page;
    const of = { incidentId, pageAt: new Date(page.startedAt), policyId: policy.id };
    rings.push({ ...of, at: new Date(at), personId, wayId, cycle, step });
  }

  function ringingFor(personId: string, except: SimulatedPage, at: number): Ringing[] {
    const ringing: Ringing[] = [];
    const pagesOf = asked.get(personId) ?? new Map<SimulatedPage, number | null>();
    for (const [page, rangAt] of pagesOf) {
      if (!isFollowed(page, at)) {
        pagesOf.delete(page);
      } else if (page !== except) {
        const rangMsAgo = rangAt === null ? null : at - rangAt;
        ringing.push({ pageId: page.incidentId, severity: severityOf(page), rangMsAgo });
      }
    }
    return ringing;
  }

  function severityOf({ incidentId }: SimulatedPage) {
    return latest.get(incidentId)?.severity ?? 'error';
  }

  for (let done = 0; ; done += 1) {
    const due = queue.next();
    if (due === undefined || due.at > until.getTime()) {
      return { rings, until: null };
    }
    if (done >= most) {
      return { rings, until: new Date(due.at) };
    }
    if (done % 1_000 === 999) {
      await pause();
    }
    if (due.kind === 'state') {
      change(due);
    } else if (isFollowed(due.page, due.at)) {
      await (due.kind === 'step' ? beginStep(due) : ring(due));
    }
  }
}

function isFollowed({ isLive, startedAt }: SimulatedPage, at: number): boolean {
  return isLive && at - startedAt <= PAGE_FOLLOWED_MS;
}

/** Gives what is due first; of what is due at the same time, what was added first. */
function createQueue<Item extends { readonly at: number }>() {
  const heap: { readonly item: Item; readonly nth: number }[] = [];
  let added = 0;
  const isBefore = (one: number, other: number) => {
    const [a, b] = [heap[one], heap[other]];
    return a !== undefined && b !== undefined && (a.item.at < b.item.at || (a.item.at === b.item.at && a.nth < b.nth));
  };
  const swap = (one: number, other: number) => {
    const [a, b] = [heap[one], heap[other]];
    if (a !== undefined && b !== undefined) {
      [heap[one], heap[other]] = [b, a];
    }
  };
  return {
    add(item: Item): void {
      heap.push({ item, nth: added });
      added += 1;
      for (let at = heap.length - 1; at > 0 && isBefore(at, (at - 1) >> 1); at = (at - 1) >> 1) {
        swap(at, (at - 1) >> 1);
      }
    },

    next(): Item | undefined {
      swap(0, heap.length - 1);
      const first = heap.pop();
      for (let at = 0; ; ) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        const least = isBefore(right, left) ? right : left;
        if (!isBefore(least, at)) {
          return first?.item;
        }
        swap(at, least);
        at = least;
      }
    },
  };
}
