import type { Logger } from 'pino';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Incident, Signal } from '../../contract/resources.ts';
import type { CreateSignInLinkRequest } from '../../contract/sign-in.ts';
import type { Actions } from '../actions/actions.ts';
import type { IncidentId, SlackUserId } from '../domain/identifiers.ts';
import type { Groups } from '../slack/groups.ts';
import type { SlackApi } from '../slack/methods.ts';
import type { People } from '../slack/people.ts';
import type { RespondTo } from '../slack/respond.ts';
import type { Responders } from '../slack/responders.ts';
import type { ShareFile } from '../slack/upload.ts';
import type { Store } from '../store/store.ts';
import type { Health } from '../views/health.ts';

export interface DashboardLink {
  readonly url: string;
  readonly expiresAt: Date;
  readonly role: CreateSignInLinkRequest['role'];
}

/**
 * Makes a link that signs a person in to the dashboard. Their role follows what they may do in Slack.
 *
 * @param page to open afterwards; absent: the list
 * @throws {NotOfferedError} when the service has no sign-in links
 */
export type CreateDashboardLink = (slackUserId: SlackUserId, page: string | undefined) => Promise<DashboardLink>;

export interface IncidentSignals {
  readonly incident: Incident;
  readonly signals: readonly Signal[];
}

/** Reads an incident with all its signals. @throws ServiceClientError */
export type ReadSignals = (
  incidentId: IncidentId,
  options?: { readonly isFresh?: boolean },
) => Promise<IncidentSignals>;

/** `api` is the client for interactive requests; background work does not use it. */
export interface ListenerDeps {
  readonly service: ServiceClient;
  readonly store: Store;
  readonly actions: Actions;
  readonly people: People;
  readonly groups: Groups;
  /** Members of the user group that may change rules. */
  readonly ruleMakers: Responders;
  readonly createDashboardLink: CreateDashboardLink;
  readonly health: () => Promise<Health>;
  readonly api: SlackApi;
  readonly respondTo: RespondTo;
  readonly shareFile: ShareFile;
  readonly readSignals: ReadSignals;
  /** Address of the dashboard, without a slash at the end; null: links are not unfurled. */
  readonly publicUrl: string | null;
  /** The bot's workspace; null: not signed in yet. */
  readonly teamId: () => string | null;
  /** Called when a message may need a redraw. */
  readonly onChanged: () => void;
  /** Address of a trace with `{trace_id}`; null: traces have no page. */
  readonly traceUrl: string | null;
  readonly logger: Logger;
  readonly now: () => Date;
}
