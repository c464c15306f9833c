/** How a call of a method fails. */
export type Fault =
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number }
  /** Slack executes the call and then answers 502. */
  | { readonly kind: 'stored-then-502' }
  | { readonly kind: 'error'; readonly error: string }
  /** Slack waits before it executes the call. */
  | { readonly kind: 'latency'; readonly ms: number };

/** How long a repeated fault lasts: a number of calls, or a time by the clock of local Slack. */
export type Span = { readonly calls: number } | { readonly seconds: number };

/** A fault that has been set and has not happened yet. */
export type PendingFault =
  | { readonly kind: 'call'; readonly method: string; readonly fault: Fault; readonly calls: number }
  | { readonly kind: 'call'; readonly method: string; readonly fault: Fault; readonly until: string }
  | { readonly kind: 'dropped-acks' | 'duplicate-events'; readonly count: number };

export interface Faults {
  /** The next call of the method fails. Several faults of one method happen in the order in which they were set. */
  next(method: string, fault: Fault): void;
  /** Every call of the method, or of all methods (`*`), fails until the span is over. Faults set by `next` come first. */
  repeat(method: string, fault: Fault, span: Span): void;
  /** Loses the next `count` acknowledgements of the app: the person sees what Slack shows after three seconds. */
  dropAcks(count: number): void;
  /** Sends the next `count` events twice, under two event ids. */
  duplicateEvents(count: number): void;
  /** Removes all pending faults. */
  clear(): void;
  pending(): readonly PendingFault[];
}

/** Used by the parts that fail: each method consumes one pending fault. */
export interface FaultSource {
  take(method: string): Fault | null;
  /** For a response_url. Only faults of the method `response_url` apply, because it has neither token nor tier. */
  takeForResponse(): Fault | null;
  /** Whether to drop the acknowledgement that just arrived. */
  takeDroppedAck(): boolean;
  /** Whether to send the current event twice. */
  takeDuplicate(): boolean;
}

interface RepeatedFault {
  readonly method: string;
  readonly fault: Fault;
  readonly callsLeft: number;
  readonly untilMs: number;
}

const RESPONSE_URL = 'response_url';

/** @param onChange called when a fault is set, happens or is removed */
export function createFaults(now: () => Date, onChange: () => void): Faults & FaultSource {
  const queues = new Map<string, Fault[]>();
  let repeated: readonly RepeatedFault[] = [];
  let acksToDrop = 0;
  let eventsToDouble = 0;

  function openRepeated(): readonly RepeatedFault[] {
    repeated = repeated.filter((each) => each.callsLeft > 0 && now().getTime() < each.untilMs);
    return repeated;
  }

  function takeRepeated(applies: (method: string) => boolean): Fault | null {
    const found = openRepeated().find((each) => applies(each.method));
    repeated = repeated.map((each) => (each === found ? { ...each, callsLeft: each.callsLeft - 1 } : each));
    return found?.fault ?? null;
  }

  function take(method: string, applies: (faultMethod: string) => boolean): Fault | null {
    const [queued, ...rest] = queues.get(method) ?? [];
    if (queued !== undefined) {
      queues.set(method, rest);
    }
    const fault = queued ?? takeRepeated(applies);
    if (fault !== null) {
      onChange();
    }
    return fault;
  }

  return {
    next(method, fault) {
      queues.set(method, [...(queues.get(method) ?? []), fault]);
      onChange();
    },
    repeat(method, fault, span) {
      const callsLeft = 'calls' in span ? span.calls : Number.POSITIVE_INFINITY;
      const untilMs = 'seconds' in span ? now().getTime() + span.seconds * 1000 : Number.POSITIVE_INFINITY;
      repeated = [...repeated, { method, fault, callsLeft, untilMs }];
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
    clear() {
      queues.clear();
      repeated = [];
      acksToDrop = 0;
      eventsToDouble = 0;
      onChange();
    },
    pending() {
      const queued = [...queues].flatMap(([method, faults]) =>
        faults.map((fault) => ({ kind: 'call', method, fault, calls: 1 }) as const),
      );
      const repeating = openRepeated().map(({ method, fault, callsLeft, untilMs }) =>
        Number.isFinite(callsLeft)
          ? ({ kind: 'call', method, fault, calls: callsLeft } as const)
          : ({ kind: 'call', method, fault, until: new Date(untilMs).toISOString() } as const),
      );
      return [
        ...queued,
        ...repeating,
        ...(acksToDrop > 0 ? [{ kind: 'dropped-acks', count: acksToDrop } as const] : []),
        ...(eventsToDouble > 0 ? [{ kind: 'duplicate-events', count: eventsToDouble } as const] : []),
      ];
    },

    take: (method) => take(method, (faultMethod) => faultMethod === method || faultMethod === '*'),
    takeForResponse: () => take(RESPONSE_URL, (faultMethod) => faultMethod === RESPONSE_URL),
    takeDroppedAck() {
      if (acksToDrop === 0) {
        return false;
      }
      acksToDrop -= 1;
      onChange();
      return true;
    },
    takeDuplicate() {
      if (eventsToDouble === 0) {
        return false;
      }
      eventsToDouble -= 1;
      onChange();
      return true;
    },
  };
}
