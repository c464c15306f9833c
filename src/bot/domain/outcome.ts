import type { Incident } from '../../contract/resources.ts';
import type { PendingAction } from '../store/actions.ts';

/** How an action that a person asked for has ended, or that it has not yet. */
export type Outcome =
  /** The service did it, and may show it in words of its own. */
  | { readonly kind: 'done'; readonly action: PendingAction; readonly incident: Incident }
  /** It was so already, by this or another person: nothing was changed. */
  | { readonly kind: 'already'; readonly action: PendingAction; readonly incident: Incident }
  /** The service did not answer, or not with yes or no: it is kept and tried again. */
  | { readonly kind: 'kept'; readonly action: PendingAction; readonly reason: KeptReason }
  /** The service said no, for good. */
  | { readonly kind: 'refused'; readonly action: PendingAction; readonly reason: RefusedReason };

/** What became of the wish to take a kept action back. */
export type Cancellation =
  | { readonly kind: 'cancelled'; readonly action: PendingAction }
  | { readonly kind: 'being-sent' | 'settled' | 'unknown' };

/** `key`: the service refuses our API key. */
export type KeptReason = 'unreachable' | 'failing' | 'key';

export type RefusedReason =
  | { readonly kind: 'unknown-incident' }
  /** In the service's own words; null: it gave none. */
  | { readonly kind: 'rejected'; readonly detail: string | null };
