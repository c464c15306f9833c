/** The order in which the reconciler sends the due messages of a channel, lowest first. */
export const URGENCY = {
  /** A person acted and is waiting to see the effect. */
  person: 0,
  /** An incident was opened. */
  opened: 1,
  /** The state of an incident changed. */
  state: 2,
  /** Only counts changed. */
  count: 3,
  /** A reply in the thread of a card. */
  reply: 4,
} as const;
export type Urgency = (typeof URGENCY)[keyof typeof URGENCY];
