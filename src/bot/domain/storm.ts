/** When a channel has too many new incidents for a card each, and when that is over. */
export interface StormRules {
  /** More new incidents than this within `windowMs` are a storm. */
  readonly incidents: number;
  readonly windowMs: number;
  /** New incidents get their own card again once no more than this came within `calmMs`. */
  readonly calmIncidents: number;
  readonly calmMs: number;
  /** The storm is over once it is calm and no more than this are still open; those get their own card then. */
  readonly leftOpen: number;
}

export const STORM_RULES: StormRules = {
  incidents: 12,
  windowMs: 2 * 60_000,
  calmIncidents: 3,
  calmMs: 3 * 60_000,
  leftOpen: 8,
};
