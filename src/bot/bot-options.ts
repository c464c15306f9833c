import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ServiceClient } from '../client/service-client.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../runtime/clock.ts';
import type { StormRules } from './rooms/storm/storm.ts';
import type { Naming } from './slack/person.ts';
import type { SlackOptions } from './slack/slack-side.ts';

export interface BotOptions {
  readonly slack: SlackOptions;
  readonly service: ServiceClient;
  /** Base address of the service, or `EMBEDDED_SERVICE`. */
  readonly serviceId: string;
  /** Previous id of the same service; absent: it has not moved. */
  readonly serviceMovedFrom?: string | null;
  readonly database: Database;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Channel for cards, an id or `#name`; null: no cards. */
  readonly channel: string | null;
  readonly pollMs: number;
  /** Address of the dashboard, without a slash at the end; absent: links to it are not unfurled. */
  readonly publicUrl?: string | null;
  /** Default: `email`. */
  readonly naming?: Naming;
  /** Address of a trace with `{trace_id}`; absent or null: traces have no page. */
  readonly traceUrl?: string | null;
  /** Handles or ids of the user groups that may act; absent or empty: every member of the workspace. */
  readonly responderGroups?: readonly string[];
  /** Handles or ids of the user groups whose members are admins in the dashboard; absent or empty: nobody is. */
  readonly adminGroups?: readonly string[];
  /** User group whose members may change rules. Default: null, every member. */
  readonly rulesGroup?: string | null;
  /** How long closed incidents and the audit log are kept; absent or null: forever. */
  readonly retentionDays?: number | null;
  /** Receives the bot's metrics; absent: they are not exported. */
  readonly registry?: Registry;
  /** Default: `STORM_RULES`. */
  readonly storms?: StormRules;
}
