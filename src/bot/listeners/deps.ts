import type { Logger } from 'pino';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Actions } from '../actions/actions.ts';
import type { SlackApi } from '../slack/methods.ts';
import type { People } from '../slack/people.ts';
import type { RespondTo } from '../slack/respond.ts';
import type { Responders } from '../slack/responders.ts';
import type { ShareFile } from '../slack/upload.ts';
import type { Store } from '../store/store.ts';
import type { Health } from '../views/health.ts';
import type { CreateDashboardLink } from '../sign-in/dashboard-links.ts';
import type { ReadSignals } from '../signals/read-signals.ts';

/** `api` is the client for interactive requests; background work does not use it. */
export interface ListenerDeps {
  readonly service: ServiceClient;
  readonly store: Store;
  readonly actions: Actions;
  readonly people: People;
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
