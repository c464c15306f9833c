import { z } from 'zod';
import type { Attempt } from './attempt.ts';
import type { Facts } from './facts.ts';
import type { ChannelId, IncidentId, MessageId, PlaceId, SlackUserId, StormId } from './identifiers.ts';
import type { Reminded, ReminderName } from './reminder.ts';

/** Written by this version or an earlier one; what reads it does not depend on single fields. */
const facts = z.custom<Facts>((value) => typeof value === 'object' && value !== null);
const reminded = z.custom<Reminded>((value) => typeof value === 'object' && value !== null);
const reminderName = z.custom<ReminderName>((value) => typeof value === 'string');
/** An ISO string. */
const time = z.string();
/** See `OpenView`. */
const openView = z.object({
  what: z.string().default(''),
  viewId: z.string().nullable().default(null),
  responseUrl: z.string().nullable().default(null),
  messageTs: z.string().nullable().default(null),
  incidentIds: z.array(z.string()).default([]),
  until: time.default(new Date(0).toISOString()),
  refreshes: z.number().default(0),
});

/** What is stored beside a message of each kind. It may change while the message is leased. */
export const MESSAGE_DATA = {
  /** What the card shows, what its thread has reported and was reminded of, and the `ts` whose address the service has. */
  card: z.object({
    shown: facts.optional(),
    told: facts.optional(),
    reminded: reminded.optional(),
    linkedTs: z.string().optional(),
  }),
  storm: z.object({
    startedAt: time.optional(),
    calmAt: time.nullish(),
    endedAt: time.nullish(),
    reminded: reminded.optional(),
  }),
  reply: z.object({}),
  reminder: z.object({}),
  /** When it became due, and what its subject is. */
  alert: z.object({ dueAt: time.default(new Date(0).toISOString()), about: z.enum(['card', 'storm']).default('card') }),
  answer: z.object({}),
  /** Its text, in mrkdwn; in the thread of a card: the incident. */
  notice: z.object({ text: z.string().default(''), incidentId: z.string().optional() }),
  /** The time of the last one. */
  handover: z.object({ sentFor: time.optional() }),
  /** The page to open afterwards, and when it was asked for. */
  'sign-in': z.object({ returnTo: z.string().default(''), askedAt: time.default('') }),
  /** When it was last opened. */
  home: z.object({ openedAt: time.optional() }),
  /** A list of incidents that somebody looks at. */
  list: openView,
  /** The signals of an incident that somebody looks at. */
  signals: openView,
} as const;

/** Nothing is read back. */
const none = z.unknown().transform(() => null);

/** What is stored with an attempt, for kinds that must repeat it unchanged. */
export const ATTEMPT_DATA = {
  card: none,
  storm: none,
  reply: facts.nullable(),
  /** A reminder that may have been posted. */
  reminder: z.object({ name: reminderName, at: time, placeIds: z.array(z.string()) }).nullable(),
  alert: none,
  /** Ids of the actions whose outcomes it reports. */
  answer: z.array(z.string()).nullable(),
  notice: none,
  handover: none,
  'sign-in': none,
  home: none,
  list: none,
  signals: none,
} as const satisfies Record<keyof typeof MESSAGE_DATA, z.ZodType>;

export type MessageKindName = keyof typeof MESSAGE_DATA;

/** Kinds that a listener shows to one person, and that are only replaced afterwards. */
export type OpenViewKindName = 'list' | 'signals';

/** Kinds that are messages in Slack, unlike Home tabs, and that everybody sees who is in the place. */
export type PostedKindName = Exclude<MessageKindName, 'home' | OpenViewKindName>;

const UNPOSTED: ReadonlySet<MessageKindName> = new Set(['home', 'list', 'signals']);

export function isPosted(kind: MessageKindName): kind is PostedKindName {
  return !UNPOSTED.has(kind);
}

/** Where a message of each kind goes, and what it is about. */
interface Addresses {
  readonly card: { readonly placeId: ChannelId; readonly subject: IncidentId };
  readonly storm: { readonly placeId: ChannelId; readonly subject: StormId };
  readonly reply: { readonly placeId: ChannelId; readonly subject: IncidentId };
  /** About an incident or a storm. */
  readonly reminder: { readonly placeId: ChannelId; readonly subject: string };
  /** The same, for a person or another channel. */
  readonly alert: { readonly placeId: PlaceId; readonly subject: string };
  readonly answer: { readonly placeId: SlackUserId; readonly subject: SlackUserId };
  /** About an event of the service. */
  readonly notice: { readonly placeId: ChannelId; readonly subject: string };
  /** About a rule. */
  readonly handover: { readonly placeId: ChannelId; readonly subject: string };
  /** About an event of the service. */
  readonly 'sign-in': { readonly placeId: SlackUserId; readonly subject: string };
  readonly home: { readonly placeId: SlackUserId; readonly subject: SlackUserId };
  /** The place is the person who sees the view; the subject is its modal or its channel. */
  readonly list: { readonly placeId: SlackUserId; readonly subject: string };
  readonly signals: { readonly placeId: SlackUserId; readonly subject: string };
}

export type MessageData<Kind extends MessageKindName> = Readonly<z.infer<(typeof MESSAGE_DATA)[Kind]>>;
export type AttemptData<Kind extends MessageKindName> = z.infer<(typeof ATTEMPT_DATA)[Kind]>;

/** A message under a lease. */
export type Message<Kind extends MessageKindName = MessageKindName> = {
  readonly [Each in Kind]: Leased &
    Addresses[Each] & {
      readonly kind: Each;
      readonly data: MessageData<Each>;
      /** null: there is no attempt, or its content does not matter. */
      readonly attemptData: AttemptData<Each>;
    };
}[Kind];

interface Leased {
  readonly id: MessageId;
  readonly threadTs: string | null;
  /** null: not posted, as far as known. */
  readonly ts: string | null;
  /** Digest of the content in Slack; null: unknown. */
  readonly digest: string | null;
  /** A post that may have happened without a response. */
  readonly attempt: Attempt | null;
  readonly failures: number;
  readonly refusals: number;
  readonly revision: string;
  /** Identifies the claim. */
  readonly lease: string;
}
