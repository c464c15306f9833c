import { z } from 'zod';
import { WebhookEventType } from './events.ts';
import { HeartbeatConfig, IncomingConfig, SigningConfig } from './incoming-config.ts';
import { Page } from './lists.ts';
import { PUSH_PATHS } from './push.ts';
import { hasNoCredentials, moment, REQUEST_LIMITS } from './requests.ts';
import { System } from './system.ts';
import { Count, Id, Timestamp } from './values.ts';
import { SIGNING_VENDORS, VENDOR_PATHS } from './vendors.ts';

export const Integration = z.object({
  id: Id,
  /** In our service `active`, `failing` (see `last_error`) or `disabled`. */
  status: z.string(),
  /**
   * `waiting`: never used. `used`: its last use succeeded. `refused`: we refused its last request. `failing`: our last
   * request to it failed. `silent`: watched for silence, and sends nothing. `disabled`: we send it nothing any more.
   */
  state: z.enum(['waiting', 'used', 'refused', 'failing', 'silent', 'disabled']).optional(),
  type: z.string().optional(),
  name: z.string().nullish(),
  /** The system that its signals belong to; absent: the default one. */
  system: System.optional(),
  config: z.record(z.string(), z.unknown()).optional(),
  created_at: Timestamp.optional(),
  last_used_at: Timestamp.nullish(),
  last_error: z.string().nullish(),
  /** What it last sent that we accepted, but did not keep or that had no effect, and why. */
  last_unkept: z.string().nullish(),
  last_unkept_at: Timestamp.nullish(),
  /** The signing secret of a webhook. Only the responses that create or rotate it have this. */
  secret: z.string().optional(),
  /** Where to send signals. For `otlp` the endpoint to which an exporter appends `/v1/traces` and so on. */
  ingest_url: z.string().optional(),
  /** The API key for sending signals. Only the response that creates the integration has this. */
  ingest_key: z.string().optional(),
});
export type Integration = z.infer<typeof Integration>;

/** One attempt to deliver an event to a webhook. */
export const Delivery = z.object({
  id: Id,
  status: z.enum(['delivered', 'failed']),
  event_id: Id,
  event_type: z.string(),
  /** 1 for the first attempt. */
  attempt: z.int().positive(),
  attempted_at: Timestamp,
  duration_ms: Count,
  /** Status of the response; null: there was none. */
  http_status: z.int().nullable(),
  /** What went wrong; null if it was delivered. */
  error: z.string().nullable(),
  /** The first 1,024 characters of the response, secrets masked; null: there was none. */
  response: z.string().nullable(),
  /** When the next attempt was due; null: none was planned. */
  next_attempt_at: Timestamp.nullable(),
});
export type Delivery = z.infer<typeof Delivery>;

export const IntegrationList = z.object({ integrations: z.array(Integration), total: Count.optional(), ...Page });
export type IntegrationList = z.infer<typeof IntegrationList>;

export const DeliveryList = z.object({ deliveries: z.array(Delivery), total: Count.optional(), ...Page });
export type DeliveryList = z.infer<typeof DeliveryList>;

/** The answer to a request to send events again. */
export const Resending = z.object({
  /** Number of events that are queued. */
  queued: Count,
});
export type Resending = z.infer<typeof Resending>;

const name = z.string().trim().min(1).max(REQUEST_LIMITS.integrationName).optional();

/** The system that its signals belong to; absent: the default one. */
const system = System.optional();

const slackField = z.string().max(REQUEST_LIMITS.slackField);
/** `config` of type `slack`. The natural key is `team_id` and `app_id`. */
const SlackConfig = z.object({
  team_id: slackField.min(1),
  app_id: slackField.min(1),
  team_name: slackField.optional(),
  bot_user_id: slackField.optional(),
});

const receiverUrl = z
  .url({
    protocol: /^https?$/,
    // Zod also calls this for an address that is too long.
    error: ({ code }) => (code.startsWith('invalid_') ? 'must be an http or https address' : undefined),
  })
  .max(REQUEST_LIMITS.webhookUrl)
  .refine(hasNoCredentials, 'must not contain a user name or password; webhooks are signed instead');

/** `config` of type `webhook`, which receives events. The natural key is `url`. */
const WebhookConfig = z.object({
  url: receiverUrl,
  /** Absent: all events of incidents. */
  events: z.array(WebhookEventType).min(1).max(REQUEST_LIMITS.webhookEvents).optional(),
});

/** Default address. PagerDuty accounts in other regions, such as the EU, have another one. */
const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue';

/** Events that PagerDuty has an action for. */
const PAGERDUTY_EVENTS = [
  'incident.opened',
  'incident.reopened',
  'incident.acknowledged',
  'incident.closed',
  'incident.unmuted',
] as const satisfies readonly WebhookEventType[];

/** `config` of type `pagerduty`, an integration of PagerDuty's Events API v2. The natural key is `routing_key` and `url`. */
const PagerDutyConfig = z
  .object({
    routing_key: z.string().min(1).max(REQUEST_LIMITS.routingKey),
    url: receiverUrl.default(PAGERDUTY_URL),
  })
  .transform((config) => ({ ...config, events: PAGERDUTY_EVENTS }));

/**
 * Types of integrations that send us signals, with the path of each below the public address; see `ingest_url`. The
 * natural key is `name`; each request without a name creates another integration.
 */
export const INGEST_PATHS = {
  /** Exporters append `/v1/traces`, `/v1/metrics` and `/v1/logs`. */
  otlp: '',
  alertmanager: '/v1/alertmanager',
  /** Takes the place of an Alertmanager: Prometheus appends `/api/v2/alerts`. */
  prometheus: '/v1/prometheus',
  grafana: '/v1/grafana',
  pagerduty_events: '/v2/enqueue',
  opsgenie: '/v2/alerts',
  /** The addresses of Grafana OnCall, which go on with a type and the key. */
  oncall: '/integrations/v1',
  cloudevents: '/v1/cloudevents',
  generic: '/v1/generic',
  heartbeat: '/v1/heartbeat',
  ...VENDOR_PATHS,
  ...PUSH_PATHS,
  /** Any JSON, read by the integration's mapping. */
  json: '/v1/json',
} as const;
const IncomingType = z.enum(Object.keys(INGEST_PATHS) as (keyof typeof INGEST_PATHS)[]); // what Object.keys gives
export type IncomingType = z.infer<typeof IncomingType>;

/**
 * An expression of the Common Expression Language (cel.dev) over `body`: `body.alert.title + ": " + body.host`. Each line is one
 * of its own; the first that gives something counts.
 */
const expression = z.string().trim().min(1).max(REQUEST_LIMITS.expression);

/** Expressions that read an event from any JSON. One without a result counts as absent. */
export const Mapping = z.object({
  /** Required of each event. */
  title: expression,
  service: expression.optional(),
  severity: expression.optional(),
  /** Events with the same key are the same failure. */
  key: expression.optional(),
  /** `ok`, `resolved` and the like end the failure, `acknowledged` acknowledges its incident. Unknown words are asked about. */
  state: expression.optional(),
  /** A page to open. */
  link: expression.optional(),
  /** Who acknowledged it or wrote a note at the sender. */
  user: expression.optional(),
  /** A note that somebody wrote at the sender, for the timeline of the incident. */
  note: expression.optional(),
  /** When it began: a date, or seconds or milliseconds since 1970. */
  at: expression.optional(),
  /** The list of events in a body; the other expressions then read each as `event`. */
  events: expression.optional(),
});
export type Mapping = z.infer<typeof Mapping>;

/** What the state of an event says about its failure. */
export const StateMeaning = z.enum(['fails', 'over', 'acknowledged', 'ignored']);
export type StateMeaning = z.infer<typeof StateMeaning>;

/** What the words of an integration's states mean, as people answered. */
export const StateAnswers = z.record(z.string().max(60), StateMeaning);
export type StateAnswers = z.infer<typeof StateAnswers>;

export const CreateIntegrationRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('slack'), name, config: SlackConfig }),
  z.object({ type: z.literal('webhook'), name, config: WebhookConfig }),
  z.object({ type: z.literal('pagerduty'), name, config: PagerDutyConfig }),
  z.object({ type: z.literal('heartbeat'), name, system, config: HeartbeatConfig }),
  z.object({ type: z.enum(SIGNING_VENDORS), name, system, config: SigningConfig.default({}) }),
  z.object({
    type: z.literal('json'),
    name,
    system,
    config: IncomingConfig.extend({
      /** Absent: that of the preset, or none yet. */
      mapping: Mapping.optional(),
      /** A product whose payloads are known, such as `checkmk`: its mapping to begin with. */
      preset: z.string().max(60).optional(),
      states: StateAnswers.optional(),
    }).default({}),
  }),
  z.object({
    type: IncomingType.exclude(['heartbeat', 'json', ...SIGNING_VENDORS]),
    name,
    system,
    config: IncomingConfig.default({}),
  }),
]);
export type CreateIntegrationRequest = z.infer<typeof CreateIntegrationRequest>;

/** Signals that come later belong to the other system; those that came before, and their incidents, stay. */
export const UpdateIntegrationRequest = z.object({
  /** `main`: the default one. */
  system: System,
});
export type UpdateIntegrationRequest = z.infer<typeof UpdateIntegrationRequest>;

/** Events of one request. */
const MOST_EVENTS = 100;

/** What an integration of type `json` received by another way than its address, such as messages in a channel of Slack. */
export const HandOverEventsRequest = z.object({
  /** The integration's mapping reads each as `body`. */
  events: z.array(z.record(z.string(), z.unknown())).max(MOST_EVENTS),
});
export type HandOverEventsRequest = z.infer<typeof HandOverEventsRequest>;

/** As for events at the address of an integration. */
export const HandedOverEvents = z.object({
  /** What was accepted, but not kept or without effect, in sentences. */
  warnings: z.array(z.string()).optional(),
});
export type HandedOverEvents = z.infer<typeof HandedOverEvents>;

export const ResendRequest = z.object({
  /** Events that happened at or after this time: RFC 3339 or Unix seconds. */
  since: moment,
  /** `failed`: those that were given up or wait for another attempt. `all`: also those that were delivered. */
  events: z.enum(['failed', 'all']).default('failed'),
});
export type ResendRequest = z.infer<typeof ResendRequest>;
