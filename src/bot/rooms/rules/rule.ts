import { isMuted } from '../../../incident/mute.ts';
import { matchesFilter, type RuleFilter } from '../../../incident/rule-filter.ts';
import { min } from '../../../runtime/dates.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { ChannelId } from '../../slack/identifiers.ts';
import { endOfQuietHours, type QuietHours } from './quiet-hours.ts';

export const EVERYTHING: RuleFilter = { services: [], severities: [], integrations: [], labels: [] };

/** Whom to notify next while nobody has acknowledged, and when. */
export interface EscalationStep {
  /** Minutes since the incident opened, or since the previous step. */
  readonly afterMinutes: number;
  readonly target: /** A mention of the user group in the thread of the card. */
    | { readonly kind: 'group'; readonly id: string }
    /** A message in another channel. */
    | { readonly kind: 'channel'; readonly id: string }
    /** A direct message to each member of the user group. */
    | { readonly kind: 'members'; readonly id: string };
}

/** A summary for the next shift, each weekday. */
export interface Handover {
  /** `HH:mm` */
  readonly at: string;
  readonly timeZone: string;
}

export interface RuleSettings {
  /** A channel, or the conversation of the bot with a person. */
  readonly channelId: ChannelId;
  readonly filter: RuleFilter;
  readonly escalation: readonly EscalationStep[];
  /** null: none. */
  readonly quietHours: QuietHours | null;
  /** null: none. */
  readonly handover: Handover | null;
}

/** A subscription of a channel or a person. */
export interface Rule extends RuleSettings {
  readonly id: string;
  /** Slack user id; null: made from INCIDENTS_CHANNEL. */
  readonly createdBy: string | null;
  readonly changedAt: Date;
}

/** Where an incident has a card. */
export interface Placement {
  readonly channelId: ChannelId;
  /** The card is not posted before this time; null: it is posted at once. */
  readonly heldUntil: Date | null;
}

export type Matchable = Pick<Snapshot, 'root_service' | 'services' | 'severity' | 'integrations' | 'labels'>;

/** The channels that want the incident, each once. */
export function placementsOf(
  rules: readonly Rule[],
  incident: Matchable & Pick<Snapshot, 'mute'>,
  now: Date,
): Placement[] {
  const matching = rules.filter(({ filter }) => matchesFilter(filter, incident));
  return [...Map.groupBy(matching, ({ channelId }) => channelId)].map(([channelId, ofChannel]) => ({
    channelId,
    heldUntil: holdOf(ofChannel, incident, now),
  }));
}

/**
 * The time until which nothing new about the incident is posted in a channel; null: it may be posted now.
 *
 * @param matching the rules of the channel that match
 */
export function holdOf(
  matching: readonly Rule[],
  { mute, severity }: Pick<Snapshot, 'mute' | 'severity'>,
  now: Date,
): Date | null {
  if (mute && isMuted({ mute }, now)) {
    return new Date(mute.until);
  }
  if (severity === 'critical') {
    return null;
  }
  const ends = matching.map(({ quietHours }) => quietHours && endOfQuietHours(quietHours, now));
  const quiet = ends.filter((end) => end !== null);
  return quiet.length === 0 || quiet.length < ends.length ? null : min(quiet);
}

/** Equal for two states of an incident that belong into the same channels at the same time. */
export function placementKey(incident: Snapshot): string {
  const { status, root_service, services, severity, integrations, labels, mute } = incident;
  const ids = integrations?.map(({ id }) => id).toSorted();
  return JSON.stringify([status, root_service, services?.toSorted(), severity, ids, placedBy(labels), mute?.until]);
}

/** PostgreSQL changes the order of keys. */
function placedBy(labels: Snapshot['labels']): readonly unknown[] {
  return Object.entries(labels ?? {}).toSorted(([one], [other]) => (one < other ? -1 : 1));
}
