/** Guests and people from other workspaces may not act. */
export type Standing = 'member' | 'guest' | 'stranger';

export interface Person {
  /** The name sent to the service. */
  readonly name: string;
  readonly standing: Standing;
}

/** Why somebody may not act on incidents. */
export type NotAllowed =
  | { readonly kind: 'guest' | 'stranger' }
  /** In none of the user groups that may act. */
  | { readonly kind: 'no-responder'; readonly groups: readonly string[] }
  /** Slack has not listed the members of the user groups for too long. */
  | { readonly kind: 'unverified'; readonly groups: readonly string[] };

/** How people are identified to the service. If Slack does not have a value, the next one is used. */
export const NAMINGS = ['email', 'name', 'id'] as const;
export type Naming = (typeof NAMINGS)[number];
