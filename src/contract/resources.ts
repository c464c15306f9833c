import { z } from 'zod';

/**
 * The resources of the service document as data. Fields the document names are required; everything we add to it is
 * optional, so that an answer from a service that knows only the document parses too. Our own service always sends
 * all of them.
 */

export const SIGNAL_TYPES = ['trace', 'metric', 'log'] as const;
export const SignalType = z.enum(SIGNAL_TYPES);
export type SignalType = z.infer<typeof SignalType>;

export const Severity = z.enum(['critical', 'error', 'warning', 'info']);
export type Severity = z.infer<typeof Severity>;

export const IncidentStatus = z.enum(['open', 'closed']);
export type IncidentStatus = z.infer<typeof IncidentStatus>;

/** Opaque; at most 64 characters in our service, 255 tolerated from another. */
export const Id = z.string().min(1).max(255);

/** RFC 3339 in UTC. Our service writes milliseconds and `Z`. */
export const Timestamp = z.iso.datetime({ offset: true });

const Count = z.int().nonnegative();

export const SignalCounts = z.object({ trace: Count, metric: Count, log: Count });
export type SignalCounts = z.infer<typeof SignalCounts>;

export const IncidentSummary = z.object({
  id: Id,
  status: IncidentStatus,
  signal_count: Count,
  /** OpenTelemetry `service.name`; `unknown` when no signal names one. */
  root_service: z.string(),
  opened_at: Timestamp,
  /** For people: `#142`. Accepted wherever a path takes the id. */
  number: Count.optional(),
  title: z.string().optional(),
  severity: Severity.optional(),
  /** Of another service perhaps all that it tells; ours tells who and when too. */
  acknowledged: z.boolean().optional(),
  acknowledged_at: Timestamp.nullish(),
  acknowledged_by: z.string().nullish(),
  closed_at: Timestamp.nullish(),
  /** When the last of its signals was over, as their senders say; null while one goes on, or its sender does not say. */
  signals_ended_at: Timestamp.nullish(),
  updated_at: Timestamp.optional(),
  services: z.array(z.string()).optional(),
  signals_by_type: SignalCounts.optional(),
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
  /** When it was over, as its sender says; null while it goes on, left out when its sender would not say. */
  ended_at: Timestamp.nullish(),
  /** How often this very signal was seen; equal signals of an incident fold into one. */
  occurrences: Count.optional(),
  /** Left out while the signal belongs to no incident. */
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
  /** 0 to 1: how far the root stands out from the next candidate. */
  confidence: z.number(),
  services: z.array(z.object({ name: z.string(), signals: Count, is_root: z.boolean(), score: z.number() })),
  /** Calls among the incident's services, caller to callee. */
  edges: z.array(z.object({ from: z.string(), to: z.string(), calls: Count, errors: Count })),
  window: z.object({ from: Timestamp, to: Timestamp }),
  /** One sentence a reason, most telling first. */
  evidence: z.array(z.string()),
});
export type Correlation = z.infer<typeof Correlation>;

export const TimelineEntry = z.object({
  at: Timestamp,
  event: z.enum(['opened', 'acknowledged', 'closed']),
  by: z.string().optional(),
});
export type TimelineEntry = z.infer<typeof TimelineEntry>;

/** How the same root service failed before, and what was written then. */
export const SimilarIncident = z.object({
  id: Id,
  number: Count.optional(),
  title: z.string().optional(),
  closed_at: Timestamp,
  resolution_note: z.string().nullish(),
  resolved_by: z.string().nullish(),
});
export type SimilarIncident = z.infer<typeof SimilarIncident>;

/** A single incident: the list item's fields, its signals, and how they belong together. */
export const Incident = IncidentSummary.extend({
  signals: z.array(Signal).optional(),
  /** Beside `signals`: how many of those counted were removed with age. */
  signals_removed: Count.optional(),
  correlation: Correlation.optional(),
  timeline: z.array(TimelineEntry).optional(),
  resolution_note: z.string().nullish(),
  resolved_by: z.string().nullish(),
  previous_incident_id: Id.nullish(),
  /** Closed incidents with the same root service, those closed last first, five at most. */
  similar: z.array(SimilarIncident).optional(),
});
export type Incident = z.infer<typeof Incident>;

export const Integration = z.object({
  id: Id,
  /** Of ours: `active`, `failing` (see `last_error`) or `disabled`. */
  status: z.string(),
  type: z.string().optional(),
  name: z.string().nullish(),
  config: z.record(z.string(), z.unknown()).optional(),
  created_at: Timestamp.optional(),
  last_used_at: Timestamp.nullish(),
  last_error: z.string().nullish(),
  /** Of a webhook, in the answer that creates it and never again: what our deliveries are signed with. */
  secret: z.string().optional(),
  /** Where to send signals to; of `otlp` the endpoint to which an exporter adds `/v1/traces` and the like. */
  ingest_url: z.string().optional(),
  /** The API key to send them with, in the answer that creates the integration and never again. */
  ingest_key: z.string().optional(),
});
export type Integration = z.infer<typeof Integration>;

/** What every list of ours carries beside its array. */
const Page = {
  limit: Count.optional(),
  offset: Count.optional(),
  has_more: z.boolean().optional(),
  /** Give it as `cursor` to read on right after this page; null: this is the last one. */
  next_cursor: z.string().nullish(),
};

export const IncidentList = z.object({ incidents: z.array(IncidentSummary), total: Count.optional(), ...Page });
export type IncidentList = z.infer<typeof IncidentList>;

export const SignalList = z.object({ signals: z.array(Signal), total: Count.optional(), ...Page });
export type SignalList = z.infer<typeof SignalList>;

export const IntegrationList = z.object({ integrations: z.array(Integration), total: Count.optional(), ...Page });
export type IntegrationList = z.infer<typeof IntegrationList>;
