import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import type { Logger } from 'pino';
import type { Declare } from '../core/by-hand.ts';
import type { EventStreams } from '../events/event-streams.ts';
import { observeRequests } from '../http/observe-requests.ts';
import type { ServiceMetrics } from '../metrics.ts';
import type { EventStore } from '../store/events/event-store.ts';
import type { CardStore } from '../store/incidents/card-store.ts';
import type { IncidentStore } from '../store/incidents/incident-store.ts';
import type { LessonStore } from '../store/incidents/lesson-store.ts';
import type { Regrouping } from '../store/incidents/regrouping.ts';
import type { ApiKeyStore } from '../store/keys/api-key-store.ts';
import type { MuteStore } from '../store/mutes/mute-store.ts';
import type { SessionStore } from '../store/people/session-store.ts';
import type { SignInLinkStore } from '../store/people/sign-in-link-store.ts';
import type { ServiceStore } from '../store/service-store.ts';
import type { SignalStore } from '../store/signals/signal-store.ts';
import type { DashboardEnv } from './dashboard-env.ts';
import { bindIncidentActions } from './incident/action-routes.ts';
import { bindIncident } from './incident/incident-routes.tsx';
import type { TraceUrl } from './incident/incident-view.ts';
import { createIncidentParts } from './incident/read-incident.tsx';
import { bindDeclare } from './incidents/declare-routes.ts';
import { bindIncidents } from './incidents/incidents-routes.ts';
import { bindLive } from './live/live-routes.tsx';
import { bindSearch } from './search/search-routes.ts';
import { bindServices } from './services/services-routes.ts';
import { createSessionCookie } from './session/cookie.ts';
import { refuseForeignForms } from './session/csrf.tsx';
import { withCurrentRoles } from './session/current-roles.ts';
import { requireSession } from './session/guard.ts';
import { demandPublicHost } from './session/public-host.ts';
import { bindApiKeys } from './settings/api-keys-routes.ts';
import { bindAudit } from './settings/audit-routes.ts';
import { bindIntegrations, type IntegrationsDeps } from './settings/integrations-routes.ts';
import { bindLessons } from './settings/lessons-routes.ts';
import { bindMutes } from './settings/mutes-routes.ts';
import { bindPeople } from './settings/people-routes.ts';
import { showFaults } from './show-faults.tsx';
import { createAttemptLimit } from './sign-in/attempt-limit.ts';
import type { OpenIdSettings } from './sign-in/openid.ts';
import { bindSignIn, bindSignOut } from './sign-in/sign-in-routes.ts';
import { bindSignals } from './signals/signals-routes.ts';
import { serveStaticFiles } from './static-files.ts';
import { giveUpInTrouble } from './trouble/give-up.ts';
import { createPulse, type Pulse } from './trouble/pulse.ts';

const MAX_FORM_BYTES = 16 * 1024;

export interface DashboardDeps {
  readonly incidents: IncidentStore;
  readonly declare: Declare;
  readonly signals: SignalStore;
  readonly keys: ApiKeyStore;
  readonly sessions: SessionStore;
  readonly links: SignInLinkStore;
  readonly services: ServiceStore;
  readonly mutes: MuteStore;
  readonly lessons: LessonStore;
  readonly cards: CardStore;
  readonly regrouping: Regrouping;
  readonly events: EventStore;
  readonly eventStreams: EventStreams;
  readonly logger: Logger;
  readonly metrics: ServiceMetrics;
  readonly now: () => Date;
  readonly publicUrl: string;
  /** Whether the public address was set, not guessed: then pages are served at that host alone. */
  readonly isPublicUrlSet: boolean;
  readonly outside: Pick<
    IntegrationsDeps,
    | 'integrations'
    | 'mappings'
    | 'deliveries'
    | 'refusedPayloads'
    | 'webhookControl'
    | 'testWebhook'
    | 'allowPrivateAddresses'
  >;
  /** null: nobody signs in by OpenID Connect. */
  readonly openId: OpenIdSettings | null;
  /** Address of a trace, with `{trace_id}`; null: there is no tracing system to link to. */
  readonly traceUrl: string | null;
}

/** Everything below `/dashboard`. Only the static files and the pages of sign-in need no session. */
export function createDashboard(given: DashboardDeps): Hono<DashboardEnv> {
  const deps = { ...given, sessions: withCurrentRoles(given.sessions, given.openId?.roles ?? null) };
  const { now, publicUrl } = deps;
  const dashboard = new Hono<DashboardEnv>().basePath('/dashboard');
  const cookie = createSessionCookie(publicUrl);
  const pulse = createPulse(() => probe(deps));
  const signInDeps = { ...deps, cookie, attempts: createAttemptLimit(now) };
  dashboard.use(observeRequests<DashboardEnv>(deps));
  showFaults(dashboard, deps.logger);
  serveStaticFiles(dashboard);
  dashboard.use(compress());
  if (deps.isPublicUrlSet) {
    dashboard.use(demandPublicHost(publicUrl));
  }
  dashboard.use(refuseForeignForms(publicUrl));
  dashboard.use(bodyLimit({ maxSize: MAX_FORM_BYTES }));
  dashboard.use(giveUpInTrouble(pulse));
  bindSignIn(dashboard, { ...signInDeps, integrations: deps.outside.integrations });
  dashboard.use(requireSession(signInDeps));
  bindSignOut(dashboard, signInDeps);
  bindPages(dashboard, { ...deps, pulse });
  bindApiKeys(dashboard, deps);
  bindIntegrations(dashboard, { ...deps, ...deps.outside });
  bindMutes(dashboard, deps);
  bindLessons(dashboard, deps);
  bindPeople(dashboard, signInDeps);
  bindAudit(dashboard, { ...deps, ...deps.outside });
  return dashboard;
}

/** What every page reads, and the largest tables. */
function probe({ sessions, events, incidents, signals, now }: DashboardDeps): Promise<unknown> {
  return Promise.all([
    sessions.find('', now()),
    events.findBounds(),
    incidents.findLastNumber(),
    signals.newestOf('', 1),
  ]);
}

function bindPages(dashboard: Hono<DashboardEnv>, deps: DashboardDeps & { readonly pulse: Pulse }): void {
  const template = deps.traceUrl;
  const traceUrl: TraceUrl = (id) => template?.replaceAll('{trace_id}', encodeURIComponent(id)) ?? null;
  const pageDeps = { ...deps, traceUrl, findPosition: async () => (await deps.events.findBounds()).last };
  bindIncidents(dashboard, pageDeps);
  bindDeclare(dashboard, pageDeps);
  bindIncident(dashboard, pageDeps);
  bindIncidentActions(dashboard, pageDeps);
  bindSignals(dashboard, pageDeps);
  bindServices(dashboard, pageDeps);
  bindSearch(dashboard, pageDeps);
  bindLive(dashboard, { ...pageDeps, incidentParts: createIncidentParts(pageDeps) });
}
