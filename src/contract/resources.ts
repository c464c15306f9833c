import { z } from 'zod';
import { Comparison } from './comparison.ts';
import { Mute } from './mute.ts';
import { System } from './system.ts';
import { ActorId, Count, Id, Timestamp } from './values.ts';

/**
 * The resources of the service document as data. Fields that the document names are required. Our additions are
 * optional, so that answers of a service that knows only the document parse too. Our own service always sends them.
 */

/** The one list of types. Counts by type are maps with these keys. */
export const SIGNAL_TYPES = ['trace', 'metric', 'log'] as const;
export const SignalType = z.enum(SIGNAL_TYPES);
export type SignalType = z.infer<typeof SignalType>;

export const Severity = z.enum(['critical', 'error', 'warning', 'info']);
export type Severity = z.infer<typeof Severity>;

export const IncidentStatus = z.enum(['open', 'closed']);
export type IncidentStatus = z.infer<typeof IncidentStatus>;

export const SignalCounts = z.object(countEach(SIGNAL_TYPES));
export type SignalCounts = z.infer<typeof SignalCounts>;

function countEach<Type extends string>(types: readonly Type[]): Record<Type, typeof Count> {
  return Object.fromEntries(types.map((type) => [type, Count])) as Record<Type, typeof Count>; // one entry per type
}

/**
 * `failing`: failures are being seen. `quiet`: none was seen for a while, but it is unknown whether the service works.
 * `recovered`: the root service works again, or the senders reported the end.
 */
export const Activity = z.enum(['failing', 'quiet', 'recovered']);
export type Activity = z.infer<typeof Activity>;

/** Calls from one service to another within a minute, and how many of them failed. */
export const FailingCall = z.object({ from: z.string(), to: z.string(), calls: Count, failed: Count });
export type FailingCall = z.infer<typeof FailingCall>;
/** Failing calls of an incident that the service names. */
export const MAX_IMPACT = 5;

/** Correlation took another service for the root. */
export const RootChange = z.object({
  at: Timestamp,
  from: z.string(),
  to: z.string(),
  /** One sentence; empty when no reason is known. */
  because: z.string(),
});
export type RootChange = z.infer<typeof RootChange>;

/**
 * Failures in each minute, oldest first, at most thirty. They end with the present minute, which may still grow, and in a
 * closed incident with the minute in which it was last seen.
 */
export const FailureRate = z.object({ from: Timestamp, counts: z.array(Count) });
export type FailureRate = z.infer<typeof FailureRate>;

/** A page that a sender named: `runbook_url`, `generator_url` or `dashboard_url`. Only http and https. */
export const Link = z.object({ kind: z.enum(['runbook', 'generator', 'dashboard']), url: z.string() });
export type Link = z.infer<typeof Link>;

/**
 * What people route incidents by. `team`, `env` and so on are read from labels and attributes of signals; `system` is that of the
 * integration.
 */
export const INCIDENT_LABELS = ['team', 'env', 'cluster', 'namespace', 'region', 'system'] as const;
export type IncidentLabel = (typeof INCIDENT_LABELS)[number];

/** The values of each label that its signals have, at most ten of each. A label that none has is left out. */
export const IncidentLabels = z.record(z.string(), z.array(z.string()));
export type IncidentLabels = z.infer<typeof IncidentLabels>;

/** A deployment shortly before the failure. */
export const Change = z.object({
  at: Timestamp,
  service: z.string(),
  version: z.string().nullish(),
  /** Time of the first failure, to tell whether the deployment came before or after it. */
  failed_at: Timestamp.optional(),
});
export type Change = z.infer<typeof Change>;

/** Requests that failed or took much longer than usual, each counted once. */
export const Harm = z.object({
  requests: Count,
  /** All requests that went through the root service since then. */
  total: Count,
  failed: Count,
  /** When the first of them was. */
  since: Timestamp,
  /** In the last minute. */
  per_minute: Count,
});
export type Harm = z.infer<typeof Harm>;

export const IncidentSummary = z.object({
  id: Id,
  status: IncidentStatus,
  signal_count: Count,
  /** OpenTelemetry `service.name`; `unknown` when no signal names a service. */
  root_service: z.string(),
  /** The system whose signals it has; absent: the default one. */
  system: System.optional(),
  opened_at: Timestamp,
  /** Shown to people as `#142`. Accepted wherever a path takes the id. */
  number: Count.optional(),
  title: z.string().optional(),
  severity: Severity.optional(),
  /** Other services may send only this about the acknowledgement; ours also sends who and when. */
  acknowledged: z.boolean().optional(),
  acknowledged_at: Timestamp.nullish(),
  acknowledged_by: z.string().nullish(),
  acknowledged_by_id: ActorId,
  /** Who declared it; null or absent: signals opened it. */
  declared_by: z.string().nullish(),
  declared_by_id: ActorId,
  /** Who leads, and who informs others. */
  lead: z.string().nullish(),
  communications: z.string().nullish(),
  /** What correlation finds, of the fields that somebody set by hand. */
  detected: z
    .object({ title: z.string().nullish(), severity: Severity.nullish(), root_service: z.string().nullish() })
    .optional(),
  closed_at: Timestamp.nullish(),
  /** End of the last signal, as reported by the senders; null while a signal goes on or its sender reports no end. */
  signals_ended_at: Timestamp.nullish(),
  updated_at: Timestamp.optional(),
  services: z.array(z.string()).optional(),
  /** If it is absent, the service does not know labels. */
  labels: IncidentLabels.optional(),
  signals_by_type: SignalCounts.optional(),
  /** How many of its signals people declared, which `signals_by_type` counts as metrics. */
  declarations: Count.optional(),
  activity: Activity.optional(),
  /** Since when `activity` is what it is. */
  activity_since: Timestamp.optional(),
  /** When its failure was last seen. */
  last_seen_at: Timestamp.optional(),
  /** How often its failure came back after it had stopped, while the incident was open. */
  recurrences: Count.optional(),
  /** What people lost; null: no request is known to be lost. */
  harm: Harm.nullish(),
  /** Which calls fail, the most failures first, at most `MAX_IMPACT`. */
  impact: z.array(FailingCall).optional(),
  /** Oldest first, the last ten. */
  root_changes: z.array(RootChange).optional(),
  /** Id of the incident that it turned out to be part of. */
  merged_into: Id.nullish(),
  failures_per_minute: FailureRate.optional(),
  /** At most six, runbooks first. */
  links: z.array(Link).optional(),
  /** A trace that failed; null: no signal has one. */
  trace_id: z.string().nullish(),
  /** Newest first, at most three. */
  changes: z.array(Change).optional(),
  /** Integrations whose signals it has. */
  integrations: z.array(z.object({ id: Id, name: z.string().nullish() })).optional(),
  /**
   * The mute that ends last of those that apply to it; null: none does. A service that sends this field, null or not,
   * offers all our additions: unacknowledge, reopen, notes, mutes, merge and split. If it is absent, they are absent too.
   */
  mute: Mute.nullish(),
  /** The incident's page in the dashboard. */
  url: z.string().optional(),
});
export type IncidentSummary = z.infer<typeof IncidentSummary>;

export const Signal = z.object({
  id: Id,
  type: SignalType,
  service: z.string(),
  summary: z.string().optional(),
  severity: Severity.optional(),
  observed_at: Timestamp.optional(),
  received_at: Timestamp.optional(),
  first_seen_at: Timestamp.optional(),
  last_seen_at: Timestamp.optional(),
  /** As reported by the sender; null while the signal goes on, absent when the sender never reports an end. */
  ended_at: Timestamp.nullish(),
  /** Equal signals of an incident fold into one; this is how many there were. */
  occurrences: Count.optional(),
  /** Absent while the signal belongs to no incident. */
  incident_id: Id.optional(),
  trace_id: z.string().optional(),
  span_id: z.string().optional(),
  attributes: z.record(z.string(), z.unknown()).optional(),
  source: z.record(z.string(), z.unknown()).optional(),
  /** metric */
  value: z.number().optional(),
  threshold: z.number().optional(),
  unit: z.string().optional(),
  /** log */
  body: z.string().optional(),
  /** trace */
  duration_ms: z.number().optional(),
  status: z.string().optional(),
});
export type Signal = z.infer<typeof Signal>;

export const Correlation = z.object({
  method: z.string(),
  /** 0 to 1: the root's lead over the next candidate. */
  confidence: z.number(),
  services: z.array(z.object({ name: z.string(), signals: Count, is_root: z.boolean(), score: z.number() })),
  /** Calls between the incident's services, from caller to callee. */
  edges: z.array(z.object({ from: z.string(), to: z.string(), calls: Count, errors: Count })),
  window: z.object({ from: Timestamp, to: Timestamp }),
  /** One sentence per reason, the strongest first. */
  evidence: z.array(z.string()),
  /**
   * Somebody set another root in an incident with the same evidence, so `services` and `candidates` have that one first.
   * `found`: the root by evidence alone. Absent: nobody did.
   */
  taught_root: z
    .object({
      found: z.string(),
      incident: Count,
      at: Timestamp,
      by: z.string().nullable(),
      by_id: z.string().nullable().optional(),
    })
    .optional(),
  /** Every service that may be the root, the most likely first, at most five. Scores add up to 1. */
  candidates: z.array(z.object({ service: z.string(), score: z.number(), reasons: z.array(z.string()) })).optional(),
  /** What people lost; null: no request is known to have failed or become slow by it. */
  harm: Harm.nullish(),
  /** How the failure reached people: from the root over its callers to where requests enter. Empty: not known. */
  path: z.array(z.object({ service: z.string(), requests: Count })).optional(),
  /** What lost requests have in common that good ones do not; null: no lost request is known. */
  comparison: Comparison.nullish(),
  /** The same as `recurrences` of the incident. */
  times_back: Count.optional(),
  /** Alerts that other systems sent, the first first, at most 20. `place`: where in its service; null: not known. */
  alerts: z.array(z.object({ service: z.string(), summary: z.string(), place: z.string().nullable() })).optional(),
});
export type Correlation = z.infer<typeof Correlation>;

export const TimelineEntry = z.object({
  at: Timestamp,
  event: z.enum([
    'opened',
    'declared',
    'changed',
    'acknowledged',
    'unacknowledged',
    'closed',
    /** It was closed as no problem, and its evidence counts less from then on. */
    'taught',
    'forgotten',
    'reopened',
    'recurred',
    'note',
    'muted',
    'unmuted',
    'merged',
    'split',
    /** Whom a step of a policy wakes, and who is skipped and why. */
    'paged',
  ]),
  by: z.string().optional(),
  by_id: z.string().optional(),
  /** The note, the reason, what was taught, the time that a mute ends, `3 times so far` of a failure that came back, `#` and the number of the other incident, or whom a step wakes. */
  text: z.string().optional(),
});
export type TimelineEntry = z.infer<typeof TimelineEntry>;

/** An earlier incident of the same failure, with its resolution. */
export const SimilarIncident = z.object({
  id: Id,
  number: Count.optional(),
  title: z.string().optional(),
  closed_at: Timestamp,
  resolution_note: z.string().nullish(),
  resolved_by: z.string().nullish(),
  resolved_by_id: ActorId,
});
export type SimilarIncident = z.infer<typeof SimilarIncident>;

/** A message about the incident in a chat, under the name of its place, such as `#incidents`. */
export const CardLink = z.object({ url: z.string(), place: z.string() });
export type CardLink = z.infer<typeof CardLink>;

/** A single incident: the fields of the list item, its signals, and the correlation metadata. */
export const Incident = IncidentSummary.extend({
  signals: z.array(Signal).optional(),
  /** Sent with `signals`: how many of the counted signals were deleted because of their age. */
  signals_removed: Count.optional(),
  correlation: Correlation.optional(),
  timeline: z.array(TimelineEntry).optional(),
  resolution_note: z.string().nullish(),
  resolved_by: z.string().nullish(),
  resolved_by_id: ActorId,
  previous_incident_id: Id.nullish(),
  /** It was closed as no problem. */
  not_a_problem: z.boolean().optional(),
  /** What closing it as no problem makes count less, a sentence each; empty: nothing, so it can teach nothing. */
  teaches: z.array(z.string()).optional(),
  /** Closed incidents with the same root and the same rare signals, most recently closed first, at most five. */
  similar: z.array(SimilarIncident).optional(),
  /** Where chats show the incident, at most ten. */
  cards: z.array(CardLink).optional(),
});
export type Incident = z.infer<typeof Incident>;
