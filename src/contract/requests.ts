import { z } from 'zod';
import { VERIFIED_ID } from './actor.ts';
import { MuteRepeat, MuteTarget } from './mute.ts';
import { INCIDENT_LABELS, type IncidentLabel, IncidentStatus, Severity, SignalType } from './resources.ts';

/** Maximum lengths in characters, and of `webhookEvents` in entries. */
export const REQUEST_LIMITS = {
  user: 200,
  userId: 255,
  title: 200,
  service: 255,
  reason: 1_000,
  note: 3_000,
  muteValue: 255,
  timeZone: 100,
  resolutionNote: 10_000,
  integrationName: 200,
  search: 200,
  labelValue: 100,
  webhookUrl: 2_000,
  webhookEvents: 20,
  routingKey: 255,
  slackField: 200,
  expression: 1_000,
  returnTo: 1_000,
  cardUrl: 2_000,
  cardPlace: 80,
} as const;

export const PAGE_LIMITS = { defaultLimit: 50, maxLimit: 200, maxOffset: 10_000 } as const;

const wholeNumber = z.string().regex(/^\d+$/, 'must be a whole number').transform(Number);

/** Larger values are reduced to the maximum; the response's `limit` is the one that was used. */
const limit = wholeNumber
  .refine((value) => value >= 1, 'must be 1 or more')
  .transform((value) => Math.min(value, PAGE_LIMITS.maxLimit))
  .default(PAGE_LIMITS.defaultLimit);

const offset = wholeNumber
  .refine(
    (value) => value <= PAGE_LIMITS.maxOffset,
    `must be at most ${PAGE_LIMITS.maxOffset}: to read further, give a page's next_cursor as cursor`,
  )
  .default(0);

/** A page's `next_cursor` gives the page after it, even if items were added or removed meanwhile. */
const cursor = z.string().min(1).optional();

const paging = { limit, offset, cursor };

function hasOneStart(query: { readonly offset: number; readonly cursor?: string | undefined }): boolean {
  return query.cursor === undefined || query.offset === 0;
}
const ONE_START = { path: ['offset'], message: 'must not be given beside `cursor`' };

/** Ranges are half-open: [from, to). */
function isForward(from: Date | undefined, to: Date | undefined): boolean {
  return from === undefined || to === undefined || from <= to;
}

/** `Date` takes years that PostgreSQL does not. */
const DateTime = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()])
  .refine((text) => !text.startsWith('0000'))
  .transform((text) => new Date(text));

const UnixSeconds = z
  .string()
  .regex(/^\d{1,11}(\.\d+)?$/)
  .transform((text) => new Date(Number(text) * 1000));

const Moment = z.union([UnixSeconds, DateTime]);

/** RFC 3339 or Unix seconds. A date is its midnight in UTC. An unencoded `+` of an offset arrives as a space. */
export const moment = z.string().transform((text, context): Date => {
  const parsed = Moment.safeParse(text.toUpperCase().replace(/ (\d\d:\d\d)$/, '+$1'));
  if (parsed.success) {
    return parsed.data;
  }
  context.addIssue({ code: 'custom', message: 'must be a time: RFC 3339 (2026-01-31T08:00:00Z) or Unix seconds' });
  return z.NEVER;
});

const service = z.string().min(1).optional();
const search = z.string().trim().min(1).max(REQUEST_LIMITS.search).optional();

/** Incidents that have this value of the label: `team=payments`. */
const label = z.string().trim().min(1).max(REQUEST_LIMITS.labelValue).optional();
const labels = Object.fromEntries(INCIDENT_LABELS.map((name) => [name, label])) as Record<IncidentLabel, typeof label>; // one entry per label

export const ListIncidentsQuery = z
  .strictObject({
    status: IncidentStatus.optional(),
    /** Any of the services involved. */
    service,
    severity: Severity.optional(),
    ...labels,
    acknowledged: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional(),
    opened_from: moment.optional(),
    opened_to: moment.optional(),
    /** Part of the title or of a service's name; case is ignored. */
    q: search,
    ...paging,
  })
  .refine((query) => isForward(query.opened_from, query.opened_to), {
    path: ['opened_from'],
    message: 'must not be after `opened_to`',
  })
  .refine(hasOneStart, ONE_START);
export type ListIncidentsQuery = z.infer<typeof ListIncidentsQuery>;

export const ListSignalsQuery = z
  .strictObject({
    service,
    type: SignalType.optional(),
    /** Part of the summary or of the service's name; case is ignored. */
    q: search,
    from: moment.optional(),
    to: moment.optional(),
    ...paging,
  })
  .refine((query) => isForward(query.from, query.to), { path: ['from'], message: 'must not be after `to`' })
  .refine(hasOneStart, ONE_START);
export type ListSignalsQuery = z.infer<typeof ListSignalsQuery>;

/** The signals of one incident. */
export const ListIncidentSignalsQuery = z
  .strictObject({ service, type: SignalType.optional(), q: search, ...paging })
  .refine(hasOneStart, ONE_START);
export type ListIncidentSignalsQuery = z.infer<typeof ListIncidentSignalsQuery>;

export const PageQuery = z.strictObject(paging).refine(hasOneStart, ONE_START);
export type PageQuery = z.infer<typeof PageQuery>;

const signals = z.enum(['none', 'full']);

export const ReadIncidentQuery = z.strictObject({ signals: signals.default('full') });
export const ChangeIncidentQuery = z.strictObject({ signals: signals.default('none') });

export const NoQuery = z.strictObject({});

export const user = z.string().trim().min(1).max(REQUEST_LIMITS.user);

/**
 * Our addition: who `user` is, as the caller has verified. Without it, the name is shown as typed by a holder of the
 * caller's key. See `Actor`.
 */
export const userId = z
  .string()
  .max(REQUEST_LIMITS.userId)
  .regex(VERIFIED_ID, 'must begin with `email:`, `slack:` or `openid:`')
  .optional();
const acting = { user, user_id: userId };

export const AcknowledgeRequest = z.object(acting);
export type AcknowledgeRequest = z.infer<typeof AcknowledgeRequest>;

export const ResolveRequest = z.object({
  /** Stored exactly as sent. */
  resolution_note: z.string().min(1).max(REQUEST_LIMITS.resolutionNote),
  /** Our addition: who resolved. */
  user: user.optional(),
  user_id: userId,
  /** Our addition: it was no problem, so the same evidence has to be clearly stronger to open an incident again. */
  not_a_problem: z.boolean().optional(),
});
export type ResolveRequest = z.infer<typeof ResolveRequest>;

const reason = z.string().trim().min(1).max(REQUEST_LIMITS.reason).optional();

/** Why somebody takes back an acknowledgement, or opens a closed incident again. */
export const ReasonRequest = z.object({ ...acting, reason });
export type ReasonRequest = z.infer<typeof ReasonRequest>;

export const NoteRequest = z.object({
  ...acting,
  /** Stored exactly as sent. */
  text: z.string().min(1).max(REQUEST_LIMITS.note),
});
export type NoteRequest = z.infer<typeof NoteRequest>;

const title = z.string().trim().min(1).max(REQUEST_LIMITS.title);
const serviceName = z.string().trim().min(1).max(REQUEST_LIMITS.service);

/** Opens an incident by hand. */
export const DeclareIncidentRequest = z.object({
  title,
  service: serviceName,
  severity: Severity.default('error'),
  /** What is known. Stored exactly as sent. */
  note: z.string().min(1).max(REQUEST_LIMITS.note).optional(),
  user: user.optional(),
  user_id: userId,
});
export type DeclareIncidentRequest = z.input<typeof DeclareIncidentRequest>;

/** What to set by hand; null: back to what correlation finds, or nobody. Absent fields stay. */
export const UpdateIncidentRequest = z
  .object({
    title: title.nullish(),
    severity: Severity.nullish(),
    root_service: serviceName.nullish(),
    lead: user.nullish(),
    communications: user.nullish(),
    user: user.optional(),
    user_id: userId,
  })
  .refine(
    ({ user: _user, user_id: _userId, ...fields }) => Object.values(fields).some((value) => value !== undefined),
    {
      message: 'must have one of title, severity, root_service, lead and communications',
    },
  );
export type UpdateIncidentRequest = z.infer<typeof UpdateIncidentRequest>;

/** Chats on this machine may lack TLS. */
const LOOPBACK_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export const LinkCardRequest = z.object({
  /** An https address; http only on a loopback host. */
  url: z
    .url({ protocol: /^https?$/, error: 'must be an https address' })
    .max(REQUEST_LIMITS.cardUrl)
    .refine(hasTlsOrIsLocal, 'must be an https address')
    .refine(hasNoCredentials, 'must not contain a user name or password'),
  /** For people, such as `#incidents`. Each place has one address: a new one replaces the one before. */
  place: z.string().trim().min(1).max(REQUEST_LIMITS.cardPlace),
  /** The integration of type `slack` that posted the message. Without it, the only one of that type is meant, if there is one. */
  integration_id: z.string().min(1).max(REQUEST_LIMITS.muteValue).optional(),
});
export type LinkCardRequest = z.infer<typeof LinkCardRequest>;

function hasTlsOrIsLocal(text: string): boolean {
  const { protocol, hostname } = URL.parse(text) ?? { protocol: '', hostname: '' };
  return protocol === 'https:' || LOOPBACK_HOST.test(hostname);
}

export const MergeRequest = z.object({
  ...acting,
  /** Id or number of the incident that goes on. */
  into: z.string().min(1).max(REQUEST_LIMITS.muteValue),
});
export type MergeRequest = z.infer<typeof MergeRequest>;

export const UserRequest = z.object(acting);
export type UserRequest = z.infer<typeof UserRequest>;

export const CreateMuteRequest = z.object({
  target: MuteTarget,
  /**
   * Id or number of the incident, id of the integration, name of the service, or labels: `team:payments, env:prod*`. Of
   * one label any value is enough.
   */
  value: z.string().trim().min(1).max(REQUEST_LIMITS.muteValue),
  /** In the future, at most 30 days after the start. */
  until: moment,
  /** Absent, or not in the future: now. At most 366 days ahead. */
  starts_at: moment.optional(),
  /** Absent: once. */
  repeat: MuteRepeat.optional(),
  /** It repeats at the same time of day there. */
  time_zone: z.string().min(1).max(REQUEST_LIMITS.timeZone).default('UTC'),
  reason,
  ...acting,
});
export type CreateMuteRequest = z.input<typeof CreateMuteRequest>;

export const DeleteMuteQuery = z.strictObject(acting);

/** For addresses that are shown to other people. */
export function hasNoCredentials(text: string): boolean {
  const { username, password } = URL.parse(text) ?? { username: '', password: '' };
  return username === '' && password === '';
}
