/** The order in which the reconciler sends what is due in one channel: lowest first. */
export const URGENCY = {
  /** A person acted and waits to see the effect. */
  person: 0,
  /** An incident was opened. */
  opened: 1,
  /** The state of an incident changed. */
  state: 2,
  /** Only numbers changed. */
  count: 3,
  /** A reply in the thread of a card; nobody waits for it. */
  reply: 4,
} as const;
export type Urgency = (typeof URGENCY)[keyof typeof URGENCY];
