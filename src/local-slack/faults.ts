/** What goes wrong once with the next call of a method. */
export type Fault =
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number }
  /** Slack does what was asked and then answers 502: the caller cannot know. */
  | { readonly kind: 'stored-then-502' }
  | { readonly kind: 'error'; readonly error: string };

export interface Faults {
  /** Faults of one method are met in the order they were set. */
  next(method: string, fault: Fault): void;
  take(method: string): Fault | null;
}

export function createFaults(): Faults {
  const queues = new Map<string, Fault[]>();
  return {
    next(method, fault) {
      queues.set(method, [...(queues.get(method) ?? []), fault]);
    },
    take(method) {
      const [fault, ...rest] = queues.get(method) ?? [];
      queues.set(method, rest);
      return fault ?? null;
    },
  };
}
