import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import type { Logger } from 'pino';
import type { Declare } from '../core/by-hand.ts';
import type { EventStreams } from '../events/event-streams.ts';
import { observeRequests } from '../http/observe-requests.ts';
import { answerAt, publicPathOf } from '../http/public-path.ts';
import type { ServiceMetrics } from '../metrics.ts';
import type { Waking } from '../on-call/waking.ts';
import type { EventStore } from '../store/events/event-store.ts';
import type { CardStore } from '../store/incidents/card-store.ts';
import type { IncidentStore } from '../store/incidents/incident-store.ts';
import type { LessonStore } from '../store/incidents/lesson-store.ts';
import type { Regrouping } from '../store/incidents/regrouping.ts';
import type { ApiKeyStore } from '../store/keys/api-key-store.ts';
import type { MuteStore } from '../store/mutes/mute-store.ts';
import type { PolicyStore } from '../store/pages/policy-store.ts';
import type { PeopleStore } from '../store/people/people-store.ts';
import type { SessionStore } from '../store/people/session-store.ts';
import type { SignInLinkStore } from '../store/people/sign-in-link-store.ts';
import type { CalendarStore } from '../store/schedules/calendar-store.ts';
import type { FeedStore } from '../store/schedules/feed-store.ts';
import type { GapStore } from '../store/schedules/gap-store.ts';
import type { ScheduleStore } from '../store/schedules/schedule-store.ts';
import type { ServiceStore } from '../store/service-store.ts';
import type { SignalStore } from '../store/signals/signal-store.ts';
import { bindAnswer } from './answer/answer-routes.tsx';
import { bindTwilio } from './answer/twilio-routes.ts';
import type { DashboardEnv } from './dashboard-env.ts';
import { bindIncidentActions } from './incident/action-routes.ts';
import { bindIncident } from './incident/incident-routes.tsx';
import type { TraceUrl } from './incident/incident-view.ts';
import { createIncidentParts } from './incident/read-incident.tsx';
import { bindDeclare } from './incidents/declare-routes.ts';
import { bindIncidents } from './incidents/incidents-routes.ts';
import { bindLive } from './live/live-routes.tsx';
import { isScheduleForm, MAX_SCHEDULE_BYTES } from './on-call/form-size.ts';
import { bindOnCall } from './on-call/on-call-routes.ts';
import { bindSearch } from './search/search-routes.ts';
import { bindServices } from './services/services-routes.ts';
import { createSessionCookie } from './session/cookie.ts';
import { refuseForeignForms } from './session/csrf.tsx';
import { withCurrentRoles } from './session/current-roles.ts';
import { requireSession } from './session/guard.ts';
import { demandPublicHost } from './session/public-host.ts';
import { bindApiKeys } from './settings/api-keys-routes.ts';
import { bindAudit } from './settings/audit-routes.ts';
import type { IntegrationsDeps } from './settings/integrations-deps.ts';
import { bindIntegrations } from './settings/integrations-routes.ts';
import { bindLessons } from './settings/lessons-routes.ts';
import { bindMutes } from './settings/mutes-routes.ts';
import { bindPeople } from './settings/people-routes.ts';
import { bindPolicies } from './settings/policies-routes.ts';
import { bindWays } from './settings/ways-routes.ts';
import { showFaults } from './show-faults.tsx';
import { createAttemptLimit } from './sign-in/attempt-limit.ts';
import type { OpenIdSettings } from './sign-in/openid.ts';
import { bindSignIn, bindSignOut } from './sign-in/sign-in-routes.ts';
import { bindSignals } from './signals/signals-routes.ts';
import { servePushWorker, serveStaticFiles } from './static-files.ts';
import { giveUpInTrouble } from './trouble/give-up.ts';
import { createPulse, type Pulse } from './trouble/pulse.ts';

const MAX_FORM_BYTES = 32 * 1024;

export interface DashboardDeps {
  readonly incidents: IncidentStore;
  readonly declare: Declare;
  readonly signals: SignalStore;
  readonly keys: ApiKeyStore;
  readonly sessions: SessionStore;
  readonly links: SignInLinkStore;
  readonly people: PeopleStore;
  readonly schedules: ScheduleStore;
  readonly calendars: CalendarStore;
  readonly feeds: FeedStore;
  readonly gaps: GapStore;
  readonly services: ServiceStore;
  readonly mutes: MuteStore;
  readonly policies: PolicyStore;
  readonly waking: Waking;
  /** See the page of policies. */
  readonly whyNoPager: readonly string[];
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
    | 'readiness'
    | 'deliveries'
    | 'refusedPayloads'
    | 'askedStates'
    | 'answerState'
    | 'webhookControl'
    | 'testWebhook'
    | 'allowPrivateAddresses'
  >;
  /** null: nobody signs in by OpenID Connect. */
  readonly openId: OpenIdSettings | null;
  /** Address of a trace, with `{trace_id}`; null: there is no tracing system to link to. */
  readonly traceUrl: string | null;
}

/** Everything below `/dashboard`. Only the static files, the pages of sign-in and the links of messages need no session. */
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
  servePushWorker(dashboard);
  dashboard.use(compress());
  dashboard.use(answerAt(publicPathOf(publicUrl)));
  if (deps.isPublicUrlSet) {
    dashboard.use(demandPublicHost(publicUrl));
  }
  const limit = bodyLimit({ maxSize: MAX_FORM_BYTES });
  const limitSchedule = bodyLimit({ maxSize: MAX_SCHEDULE_BYTES });
  dashboard.use((c, next) => (isScheduleForm(c.req.path) ? limitSchedule(c, next) : limit(c, next)));
  dashboard.use(giveUpInTrouble(pulse));
  bindAnswer(dashboard, deps.waking.answers);
  bindTwilio(dashboard, deps.waking, publicUrl);
  dashboard.use(refuseForeignForms(publicUrl)); // the two before need a token or a signature, which no other site has
  bindSignIn(dashboard, { ...signInDeps, integrations: deps.outside.integrations });
  dashboard.use(requireSession(signInDeps));
  bindSignOut(dashboard, signInDeps);
  bindPages(dashboard, { ...deps, pulse });
  bindApiKeys(dashboard, deps);
  bindIntegrations(dashboard, { ...deps, ...deps.outside });
  bindMutes(dashboard, deps);
  bindPolicies(dashboard, deps);
  bindWays(dashboard, deps);
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
  bindOnCall(dashboard, pageDeps);
  bindLive(dashboard, { ...pageDeps, incidentParts: createIncidentParts(pageDeps) });
}
