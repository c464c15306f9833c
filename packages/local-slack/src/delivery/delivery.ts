/** What Slack sends to the app, before it is wrapped for the way it travels. */
export interface Envelope {
  readonly type: 'slash_commands' | 'interactive' | 'events_api';
  readonly payload: Readonly<Record<string, unknown>>;
  /** Absent the first time; only events are sent again. */
  readonly retry?: Retry;
}

/** Which attempt after the first one this is, and how the one before it ended. */
export interface Retry {
  readonly attempt: number;
  readonly after: Exclude<Ack['kind'], 'acked'>;
}

/** How the app took it. */
export type Ack =
  /** `body` is null when the app acknowledged without saying anything. */
  | { readonly kind: 'acked'; readonly body: Readonly<Record<string, unknown>> | null }
  /** Nothing within three seconds. */
  | { readonly kind: 'timeout' }
  /** No connection to send it over. */
  | { readonly kind: 'unreachable' }
  /** HTTP only: another status than Slack wants; `isFinal` when the app asked not to be sent it again. */
  | { readonly kind: 'refused'; readonly status: number; readonly isFinal: boolean };

export interface Delivers {
  deliver(envelope: Envelope): Promise<Ack>;
}

export interface Delivery extends Delivers, AsyncDisposable {}
