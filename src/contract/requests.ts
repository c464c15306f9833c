import { z } from 'zod';
import { IncidentStatus, SignalType } from './resources.ts';

/** Longest user name, resolution note and integration name, in characters. */
export const REQUEST_LIMITS = { user: 200, resolutionNote: 10_000, integrationName: 200 } as const;

export const PAGE_LIMITS = { defaultLimit: 50, maxLimit: 200, maxOffset: 10_000 } as const;

const wholeNumber = z.string().regex(/^\d+$/, 'must be a whole number').transform(Number);

/** Clamped to the maximum: the answer's `limit` tells the size that was used. */
const limit = wholeNumber
  .refine((value) => value >= 1, 'must be 1 or more')
  .transform((value) => Math.min(value, PAGE_LIMITS.maxLimit))
  .default(PAGE_LIMITS.defaultLimit);

const offset = wholeNumber
  .refine((value) => value <= PAGE_LIMITS.maxOffset, `must be at most ${PAGE_LIMITS.maxOffset}`)
  .default(0);

/** RFC 3339 or Unix seconds; a raw `+` of an offset arrives as a space and is understood. */
const moment = z.string().transform((text, context): Date => {
  const at = /^\d{1,11}(\.\d+)?$/.test(text)
    ? new Date(Number(text) * 1000)
    : new Date(text.replace(/ (\d\d:\d\d)$/, '+$1'));
  if (Number.isNaN(at.getTime())) {
    context.addIssue({ code: 'custom', message: 'must be a time: RFC 3339 (2026-01-31T08:00:00Z) or Unix seconds' });
    return z.NEVER;
  }
  return at;
});

export const ListIncidentsQuery = z.strictObject({ status: IncidentStatus.optional(), limit, offset });
export type ListIncidentsQuery = z.infer<typeof ListIncidentsQuery>;

export const ListSignalsQuery = z
  .strictObject({
    service: z.string().min(1).optional(),
    type: SignalType.optional(),
    from: moment.optional(),
    to: moment.optional(),
    limit,
    offset,
  })
  .refine((query) => query.from === undefined || query.to === undefined || query.from <= query.to, {
    path: ['from'],
    message: 'must not be after `to`',
  });
export type ListSignalsQuery = z.infer<typeof ListSignalsQuery>;

export const PageQuery = z.strictObject({ limit, offset });
export type PageQuery = z.infer<typeof PageQuery>;

export const NoQuery = z.strictObject({});

const user = z.string().trim().min(1).max(REQUEST_LIMITS.user);

export const AcknowledgeRequest = z.object({ user });
export type AcknowledgeRequest = z.infer<typeof AcknowledgeRequest>;

export const ResolveRequest = z.object({
  /** Kept exactly as sent. */
  resolution_note: z.string().min(1).max(REQUEST_LIMITS.resolutionNote),
  /** Ours: who resolved. */
  user: user.optional(),
});
export type ResolveRequest = z.infer<typeof ResolveRequest>;

const name = z.string().trim().min(1).max(REQUEST_LIMITS.integrationName).optional();

/** `config` of a `slack` integration. Its natural key is `team_id` and `app_id`. */
const SlackConfig = z.object({
  team_id: z.string().min(1),
  app_id: z.string().min(1),
  team_name: z.string().optional(),
  bot_user_id: z.string().optional(),
});

export const CreateIntegrationRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('slack'), name, config: SlackConfig }),
  z.object({ type: z.literal('otlp'), name, config: z.object({}).default({}) }),
]);
export type CreateIntegrationRequest = z.infer<typeof CreateIntegrationRequest>;
