import { z } from 'zod';
import type { NewEffect } from '../../../effects/new-effects.ts';
import { isAcknowledged } from '../../../incident/acknowledged.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { ChannelId, IncidentId, SlackUserId } from '../../slack/identifiers.ts';

/** The channel of an incident, or Slack's error, with the scope that the app lacks if that is why. */
export type RoomOutcome =
  | { readonly channelId: ChannelId; readonly name: string; readonly isPrivate: boolean }
  | { readonly error: string; readonly needed: string | null };

/** Makes channels for incidents, at most one for each. */
export interface Rooms {
  /** Stores the request, and that the person is to be invited. */
  keep(incident: Snapshot, asked: { readonly by: SlackUserId; readonly isPrivate: boolean }): Promise<void>;
  /** @returns null: it is not decided within this time */
  outcome(incidentId: IncidentId, withinMs: number): Promise<RoomOutcome | null>;
}

/** A channel for one incident. Making one is a chain of effects: the first makes the channel, and the others follow it. */
export const ROOM = 'room';
export const ROOM_INVITATION = 'room invitation';
export const ROOM_TOPIC = 'room topic';
export const ROOM_BOOKMARK = 'room bookmark';
export const ROOM_PIN = 'room pin';

export const RoomRequest = z.object({
  name: z.string(),
  /** How many channels of that name somebody else has. */
  taken: z.number(),
  isPrivate: z.boolean(),
});
export type RoomRequest = z.infer<typeof RoomRequest>;

export const STORED_OUTCOME: z.ZodType<RoomOutcome> = z.union([
  z.object({ channelId: z.string(), name: z.string(), isPrivate: z.boolean() }),
  z.object({ error: z.string(), needed: z.string().nullable() }),
]);
export type Room = Extract<RoomOutcome, { channelId: ChannelId }>;

/** Somebody archived or deleted the channel. */
export const LOST = { error: 'lost', needed: null } as const satisfies RoomOutcome;

/** What the other effects need: the channel. */
export const InRoom = z.object({ channelId: z.string() });
export const Bookmark = InRoom.extend({ title: z.string(), url: z.string() });

/** Slack's limit for the name of a channel. */
const NAME_LENGTH = 80;
/** Room for "-12" behind a name that is taken. */
const SUFFIX_LENGTH = 3;
/** Slack's limit. */
const TOPIC_LENGTH = 250;

/** `inc-142-payments`: small letters, digits, hyphens and underscores, as Slack wants it. */
export function roomName({ id, number, root_service: root }: Pick<Snapshot, 'id' | 'number' | 'root_service'>): string {
  const name = `inc-${number ?? id}-${root}`.toLowerCase().replaceAll(/[^\p{Ll}\p{Lo}\p{N}_-]+/gu, '-');
  return name
    .slice(0, NAME_LENGTH - SUFFIX_LENGTH)
    .toWellFormed()
    .replace(/[-\uFFFD]+$/, '');
}

/** `inc-142-payments-2` if somebody else has `inc-142-payments`. */
export function channelName({ name, taken }: Pick<RoomRequest, 'name' | 'taken'>): string {
  return taken === 0 ? name : `${name}-${taken + 1}`;
}

/** Severity, state and lead. */
export function topicOf(incident: Snapshot): string {
  const { severity, status, lead } = incident;
  const state = status === 'closed' ? 'closed' : isAcknowledged(incident) ? 'acknowledged' : 'not acknowledged';
  const parts = [severity, state, lead ? `lead: ${lead}` : null];
  return parts
    .filter((part) => part !== undefined && part !== null)
    .join(' · ')
    .slice(0, TOPIC_LENGTH);
}

/** Waits until the room is there. */
export function invitation(incidentId: IncidentId, person: SlackUserId): NewEffect {
  return { kind: ROOM_INVITATION, subject: incidentId, detail: person, data: {} };
}

/** What follows once the channel is there. */
export function afterMaking(incident: Snapshot, channelId: ChannelId, people: readonly SlackUserId[]): NewEffect[] {
  const subject = incident.id;
  const links = [
    { title: 'Incident', url: incident.url },
    { title: 'Runbook', url: incident.links?.find(({ kind }) => kind === 'runbook')?.url },
  ];
  return [
    ...people.map((person) => invitation(subject, person)),
    { kind: ROOM_TOPIC, subject, data: { channelId }, isKeptTrue: true },
    { kind: ROOM_PIN, subject, data: { channelId } },
    ...links.flatMap(({ title, url }) =>
      url ? [{ kind: ROOM_BOOKMARK, subject, detail: title, data: { channelId, title, url } }] : [],
    ),
  ];
}
