/** What Slack sends to the app, before it is wrapped for the way it travels. */
export interface Envelope {
  readonly type: 'slash_commands' | 'interactive' | 'events_api';
  readonly payload: Readonly<Record<string, unknown>>;
}

/** How the app took it. */
export type Ack =
  /** `body` is null when the app acknowledged without saying anything. */
  | { readonly kind: 'acked'; readonly body: Readonly<Record<string, unknown>> | null }
  /** Nothing within three seconds. */
  | { readonly kind: 'timeout' }
  /** No connection to send it over. */
  | { readonly kind: 'unreachable' }
  /** HTTP only: something other than 200. */
  | { readonly kind: 'refused'; readonly status: number };

export interface Delivers {
  deliver(envelope: Envelope): Promise<Ack>;
}

export interface Delivery extends Delivers, AsyncDisposable {}
