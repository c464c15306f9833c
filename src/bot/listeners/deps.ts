import type { Logger } from 'pino';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Actions } from '../actions/actions.ts';
import type { AuditLog } from '../actions/audit-log.ts';
import type { IncidentStore } from '../incident/incidents.ts';
import type { ServiceNames } from '../incident/service-names.ts';
import type { Groups } from '../slack/groups.ts';
import type { SlackApi } from '../slack/methods.ts';
import type { People } from '../slack/people.ts';
import type { RespondTo } from '../slack/respond.ts';

/** The stores that several rooms read. */
interface SharedStores {
  readonly incidents: IncidentStore;
  readonly auditLog: AuditLog;
  readonly serviceNames: ServiceNames;
}

/**
 * What listeners share. `api` is the client for interactive requests; background work does not use it.
 *
 * @typeParam Stores the stores of the room
 */
export interface ListenerDeps<Stores = unknown> {
  readonly service: ServiceClient;
  readonly store: SharedStores & Stores;
  readonly actions: Actions;
  readonly people: People;
  readonly groups: Groups;
  readonly api: SlackApi;
  readonly respondTo: RespondTo;
  /** Called when a message may need a redraw. */
  readonly onChanged: () => void;
  /** Address of a trace with `{trace_id}`; null: traces have no page. */
  readonly traceUrl: string | null;
  readonly logger: Logger;
  readonly now: () => Date;
}
