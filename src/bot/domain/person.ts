/** Whether somebody may act: guests and people from other workspaces may not. */
export type Standing = 'member' | 'guest' | 'stranger';

export interface Person {
  /** How the service is told who acts. */
  readonly name: string;
  readonly standing: Standing;
}

/** How the service is told who acts; the next one stands in where Slack does not have it. */
export const NAMINGS = ['email', 'name', 'id'] as const;
export type Naming = (typeof NAMINGS)[number];
