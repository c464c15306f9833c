import type { Snapshot } from '../../incident/snapshot.ts';
import type { ChannelId, StormId } from '../../slack/identifiers.ts';

/** When a storm starts, calms down and ends. During a storm, new incidents do not get their own cards. */
export interface StormRules {
  /** More new incidents than this within `windowMs` start a storm. */
  readonly incidents: number;
  readonly windowMs: number;
  /** The storm calms down once at most this many came within `calmMs`; new incidents get their own cards again. */
  readonly calmIncidents: number;
  readonly calmMs: number;
  /**
   * A calm storm ends once at most this many of its incidents are open, and none of them will be reminded of. Those
   * without a card then get one.
   */
  readonly leftOpen: number;
}

export const STORM_RULES: StormRules = {
  incidents: 12,
  windowMs: 2 * 60_000,
  calmIncidents: 3,
  calmMs: 3 * 60_000,
  leftOpen: 8,
};

/** The phases of a storm. */
export interface Storm {
  readonly id: StormId;
  readonly channelId: ChannelId;
  readonly startedAt: Date;
  /** null: new incidents are still withheld. */
  readonly calmAt: Date | null;
  /** null: the storm has not ended. */
  readonly endedAt: Date | null;
}

/** Number of new incidents in one channel. */
export interface NewIncidents {
  /** Within `windowMs`. */
  readonly inWindow: number;
  /** Within `calmMs`. */
  readonly recent: number;
}

/** What to do with new incidents of the channel. */
export type StormDecision = 'none' | 'start' | 'gather' | 'calm down';

/** @param isGathering whether the channel has a storm that is not calm yet */
export function decideStorm(rules: StormRules, isGathering: boolean, fresh: NewIncidents): StormDecision {
  if (isGathering) {
    return fresh.recent <= rules.calmIncidents ? 'calm down' : 'gather';
  }
  return fresh.inWindow > rules.incidents ? 'start' : 'none';
}

/**
 * A storm with open incidents does not end while a reminder of it is planned: each of them would be reminded of instead.
 *
 * @param members.open how many of its incidents are open
 */
export function isStormOver(
  rules: StormRules,
  { calmAt, endedAt }: Pick<Storm, 'calmAt' | 'endedAt'>,
  members: { readonly open: number; readonly isReminding: boolean },
): boolean {
  const isQuiet = members.open === 0 || (members.open <= rules.leftOpen && !members.isReminding);
  return calmAt !== null && endedAt === null && isQuiet;
}

/** What incidents of a storm share: the failure, if several have it; else the service. */
export interface StormKey {
  readonly by: 'failure' | 'service';
  readonly value: string;
}

/** Incidents of a storm that share something. */
export interface StormGroup {
  readonly key: StormKey;
  readonly incidents: number;
  readonly open: number;
  readonly unacknowledged: number;
  /** How many root services they have. */
  readonly services: number;
  /** The first of them, worst first; at least one. */
  readonly named: readonly Snapshot[];
}

export interface StormSummary extends Omit<Storm, 'channelId'> {
  /** In the order of their first incidents. */
  readonly groups: readonly StormGroup[];
}
