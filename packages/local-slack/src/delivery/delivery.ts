/** Something that Slack sends to the app, independent of the transport. */
export interface Envelope {
  readonly type: 'slash_commands' | 'interactive' | 'events_api';
  readonly payload: Readonly<Record<string, unknown>>;
  /** Absent on the first attempt. Only events are retried. */
  readonly retry?: Retry;
}

export interface Retry {
  /** 1 for the first retry. */
  readonly attempt: number;
  /** How the previous attempt ended. */
  readonly after: Exclude<Ack['kind'], 'acked'>;
}

/** How the app responded to a delivery. */
export type Ack =
  /** `body` is null when the app acknowledged without content. */
  | { readonly kind: 'acked'; readonly body: Readonly<Record<string, unknown>> | null }
  /** Nothing within three seconds. */
  | { readonly kind: 'timeout' }
  /** No connection to the app. */
  | { readonly kind: 'unreachable' }
  /** HTTP only: an error status. `isFinal` when the app asked for no retry. */
  | { readonly kind: 'refused'; readonly status: number; readonly isFinal: boolean };

export interface Delivers {
  deliver(envelope: Envelope): Promise<Ack>;
}

export interface Delivery extends Delivers, AsyncDisposable {}
