import type { Incident } from '../../contract/resources.ts';

export type ActionKind = 'acknowledge' | 'resolve';

/** What a person asks for, before it is stored. */
export interface ActionRequest {
  /** The interaction it came from: a redelivery of the same interaction is the same action. */
  readonly source: string;
  readonly kind: ActionKind;
  readonly incidentId: string;
  readonly slackUserId: string;
  /** Where the person was; null: unknown. */
  readonly channelId: string | null;
  /** The resolution note exactly as typed; null for an acknowledgement. */
  readonly note: string | null;
}

/** A stored request. It stays until the service has given a final answer. */
export interface Action extends Omit<ActionRequest, 'source'> {
  readonly id: string;
  /** The name that the service is given; null: not looked up yet. */
  readonly userName: string | null;
  /** Failed attempts so far. */
  readonly attempts: number;
}

/** The result of an action, final except for `kept`. */
export type Outcome =
  /** The service did it. It may show it in words of its own. */
  | { readonly kind: 'done'; readonly action: Action; readonly incident: Incident }
  /** The incident was in that state before. Nothing was changed. */
  | { readonly kind: 'already'; readonly action: Action; readonly incident: Incident }
  /** No final answer from the service. The action is retried. */
  | { readonly kind: 'kept'; readonly action: Action; readonly reason: KeptReason }
  /** The service, or Tocsin itself, refused for good. */
  | { readonly kind: 'refused'; readonly action: Action; readonly reason: RefusedReason };

/** The result of cancelling a kept action. */
export type Cancellation =
  | { readonly kind: 'cancelled'; readonly action: Action }
  | { readonly kind: 'being-sent' | 'settled' | 'unknown' };

/** `key`: the service refuses our API key. */
export type KeptReason = 'unreachable' | 'failing' | 'key';

export type RefusedReason =
  | { readonly kind: 'unknown-incident' }
  /** In the service's own words; null: it gave none. */
  | { readonly kind: 'rejected'; readonly detail: string | null }
  /** Guests and people from other workspaces may not act. */
  | { readonly kind: 'not-allowed'; readonly standing: 'guest' | 'stranger' };
