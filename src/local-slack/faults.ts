/** What goes wrong with a call of a method. */
export type Fault =
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number }
  /** Slack does what was asked and then answers 502: the caller cannot know. */
  | { readonly kind: 'stored-then-502' }
  | { readonly kind: 'error'; readonly error: string };

/** How long a storm lasts: so many calls, or so long by the clock of local Slack. */
export type Span = { readonly calls: number } | { readonly seconds: number };

export interface Faults {
  /** Once, with the next call of the method; faults of one method are met in the order they were set. */
  next(method: string, fault: Fault): void;
  /** With every call of the method, or of any (`*`), until the span is over. What `next` set comes first. */
  storm(method: string, fault: Fault, span: Span): void;
  /** So many of the app's next acknowledgements are lost: the person sees what Slack shows after three seconds. */
  dropAcks(count: number): void;
  /** So many of the next events arrive a second time, under another event id. */
  duplicateEvents(count: number): void;
  /** Ends every fault that is still to come. */
  clear(): void;
  take(method: string): Fault | null;
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

export function createFaults(now: () => Date): Faults {
  const queues = new Map<string, Fault[]>();
  let storms: readonly Storm[] = [];
  let acksToDrop = 0;
  let eventsToDouble = 0;

  function takeFromStorm(method: string): Fault | null {
    storms = storms.filter((storm) => storm.callsLeft > 0 && now().getTime() < storm.untilMs);
    const met = storms.find((storm) => storm.method === method || storm.method === '*');
    storms = storms.map((storm) => (storm === met ? { ...storm, callsLeft: storm.callsLeft - 1 } : storm));
    return met?.fault ?? null;
  }

  return {
    next(method, fault) {
      queues.set(method, [...(queues.get(method) ?? []), fault]);
    },
    storm(method, fault, span) {
      const callsLeft = 'calls' in span ? span.calls : Number.POSITIVE_INFINITY;
      const untilMs = 'seconds' in span ? now().getTime() + span.seconds * 1000 : Number.POSITIVE_INFINITY;
      storms = [...storms, { method, fault, callsLeft, untilMs }];
    },
    dropAcks(count) {
      acksToDrop += count;
    },
    duplicateEvents(count) {
      eventsToDouble += count;
    },
    clear() {
      queues.clear();
      storms = [];
      acksToDrop = 0;
      eventsToDouble = 0;
    },
    take(method) {
      const [fault, ...rest] = queues.get(method) ?? [];
      if (fault === undefined) {
        return takeFromStorm(method);
      }
      queues.set(method, rest);
      return fault;
    },
    takeDroppedAck() {
      if (acksToDrop === 0) {
        return false;
      }
      acksToDrop -= 1;
      return true;
    },
    takeDuplicate() {
      if (eventsToDouble === 0) {
        return false;
      }
      eventsToDouble -= 1;
      return true;
    },
  };
}
