import { sql } from 'kysely';

/** Which cards the reconciler sends first. */
export const LANES = { person: 0, opened: 1, state: 2, count: 3 } as const;
export type Lane = (typeof LANES)[keyof typeof LANES];

/** Of a card that has to change: one that had to already does so since then, and is no less urgent than it was. */
export function dueIn(lane: number) {
  return {
    due_since: sql<Date>`case when shown_revision < desired_revision then due_since else now() end`,
    lane: sql<number>`case when shown_revision < desired_revision then least(lane, ${lane}::smallint) else ${lane}::smallint end`,
  };
}
