/** Whether somebody may act: guests and people from other workspaces may not. */
export type Standing = 'member' | 'guest' | 'stranger';

export interface Person {
  /** The name sent to the service. */
  readonly name: string;
  readonly standing: Standing;
}

/** How people are identified to the service. If Slack does not have a value, the next one is used. */
export const NAMINGS = ['email', 'name', 'id'] as const;
export type Naming = (typeof NAMINGS)[number];
