/** Which cards the reconciler sends first. */
export const LANES = { person: 0, opened: 1, state: 2, count: 3 } as const;
export type Lane = (typeof LANES)[keyof typeof LANES];
