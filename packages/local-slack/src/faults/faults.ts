import { type FaultPlan, followPlan, type PlannedFaults } from './fault-plan.ts';

/** What goes wrong with a call of a method. */
export type Fault =
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number }
  /** Slack does what was asked and then answers 502: the caller cannot know. */
  | { readonly kind: 'stored-then-502' }
  | { readonly kind: 'error'; readonly error: string }
  /** Slack takes its time before it does anything. */
  | { readonly kind: 'latency'; readonly ms: number };

/** How long a storm lasts: so many calls, or so long by the clock of local Slack. */
export type Span = { readonly calls: number } | { readonly seconds: number };

/** A fault that is still to come. */
export type PendingFault =
  | { readonly kind: 'call'; readonly method: string; readonly fault: Fault; readonly calls: number }
  | { readonly kind: 'call'; readonly method: string; readonly fault: Fault; readonly until: string }
  | { readonly kind: 'dropped-acks' | 'duplicate-events'; readonly count: number }
  | ({ readonly kind: 'plan' } & FaultPlan);

export interface Faults {
  /** Once, with the next call of the method; faults of one method are met in the order they were set. */
  next(method: string, fault: Fault): void;
  /** With every call of the method, or of any (`*`), until the span is over. What `next` set comes first. */
  storm(method: string, fault: Fault, span: Span): void;
  /** So many of the app's next acknowledgements are lost: the person sees what Slack shows after three seconds. */
  dropAcks(count: number): void;
  /** So many of the next events arrive a second time, under another event id. */
  duplicateEvents(count: number): void;
  /** Faults by chance, after all that the others set; one plan at a time. */
  plan(plan: FaultPlan): void;
  /** Ends every fault that is still to come. */
  clear(): void;
  pending(): readonly PendingFault[];
}

/** What the faults do to what is under way. */
export interface FaultTaker {
  take(method: string): Fault | null;
  /** With an answer to a response_url, which meets only what names `response_url`: it has neither token nor tier. */
  takeForResponse(): Fault | null;
  /** Whether the acknowledgement that just came is lost. */
  takeDroppedAck(): boolean;
  /** Whether the event that is on its way is sent twice. */
  takeDuplicate(): boolean;
}

interface Storm {
  readonly method: string;
  readonly fault: Fault;
  readonly callsLeft: number;
  readonly untilMs: number;
}

interface Plan {
  readonly facts: FaultPlan;
  readonly faults: PlannedFaults;
}

const RESPONSE_URL = 'response_url';

/** @param onChange told when a fault was set, met or cleared */
export function createFaults(now: () => Date, onChange: () => void): Faults & FaultTaker {
  const queues = new Map<string, Fault[]>();
  let storms: readonly Storm[] = [];
  let acksToDrop = 0;
  let eventsToDouble = 0;
  let planned: Plan | null = null;

  function openStorms(): readonly Storm[] {
    storms = storms.filter((storm) => storm.callsLeft > 0 && now().getTime() < storm.untilMs);
    return storms;
  }

  function takeFromStorm(isMeant: (method: string) => boolean): Fault | null {
    const met = openStorms().find((storm) => isMeant(storm.method));
    storms = storms.map((storm) => (storm === met ? { ...storm, callsLeft: storm.callsLeft - 1 } : storm));
    return met?.fault ?? null;
  }

  function take(method: string, isMeant: (named: string) => boolean, isPlanned: boolean): Fault | null {
    const [queued, ...rest] = queues.get(method) ?? [];
    if (queued !== undefined) {
      queues.set(method, rest);
    }
    const met = queued ?? takeFromStorm(isMeant) ?? (isPlanned ? planned?.faults.forCall(method) : null) ?? null;
    if (met !== null) {
      onChange();
    }
    return met;
  }

  return {
    next(method, fault) {
      queues.set(method, [...(queues.get(method) ?? []), fault]);
      onChange();
    },
    storm(method, fault, span) {
      const callsLeft = 'calls' in span ? span.calls : Number.POSITIVE_INFINITY;
      const untilMs = 'seconds' in span ? now().getTime() + span.seconds * 1000 : Number.POSITIVE_INFINITY;
      storms = [...storms, { method, fault, callsLeft, untilMs }];
      onChange();
    },
    dropAcks(count) {
      acksToDrop += count;
      onChange();
    },
    duplicateEvents(count) {
      eventsToDouble += count;
      onChange();
    },
    plan(plan) {
      planned = { facts: plan, faults: followPlan(plan) };
      onChange();
    },
    clear() {
      queues.clear();
      storms = [];
      acksToDrop = 0;
      eventsToDouble = 0;
      planned = null;
      onChange();
    },
    pending() {
      const queued = [...queues].flatMap(([method, faults]) =>
        faults.map((fault) => ({ kind: 'call', method, fault, calls: 1 }) as const),
      );
      const stormy = openStorms().map(({ method, fault, callsLeft, untilMs }) =>
        Number.isFinite(callsLeft)
          ? ({ kind: 'call', method, fault, calls: callsLeft } as const)
          : ({ kind: 'call', method, fault, until: new Date(untilMs).toISOString() } as const),
      );
      return [
        ...queued,
        ...stormy,
        ...(acksToDrop > 0 ? [{ kind: 'dropped-acks', count: acksToDrop } as const] : []),
        ...(eventsToDouble > 0 ? [{ kind: 'duplicate-events', count: eventsToDouble } as const] : []),
        ...(planned === null ? [] : [{ kind: 'plan', ...planned.facts } as const]),
      ];
    },

    take: (method) => take(method, (named) => named === method || named === '*', true),
    takeForResponse: () =>
      take(RESPONSE_URL, (named) => named === RESPONSE_URL, planned?.facts.methods?.includes(RESPONSE_URL) === true),
    takeDroppedAck() {
      if (acksToDrop === 0) {
        return planned?.faults.dropsAck() ?? false;
      }
      acksToDrop -= 1;
      onChange();
      return true;
    },
    takeDuplicate() {
      if (eventsToDouble === 0) {
        return planned?.faults.doublesEvent() ?? false;
      }
      eventsToDouble -= 1;
      onChange();
      return true;
    },
  };
}
