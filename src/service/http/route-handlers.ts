import type { Context } from 'hono';
import type { z } from 'zod';
import type { Route, Scope } from '../../contract/route.ts';
import type { RouteName, routes } from '../../contract/routes.ts';
import type { Declare } from '../core/by-hand.ts';
import type { Waking } from '../on-call/waking.ts';
import type { CardStore } from '../store/incidents/card-store.ts';
import type { IncidentStore } from '../store/incidents/incident-store.ts';
import type { Regrouping } from '../store/incidents/regrouping.ts';
import type { IntegrationStore } from '../store/integrations/integration-store.ts';
import type { MuteStore } from '../store/mutes/mute-store.ts';
import type { PageLog } from '../store/pages/page-log.ts';
import type { PageWatch } from '../store/pages/page-watch.ts';
import type { PolicyStore } from '../store/pages/policy-store.ts';
import type { PeopleStore } from '../store/people/people-store.ts';
import type { SignInLinkStore } from '../store/people/sign-in-link-store.ts';
import type { CalendarStore } from '../store/schedules/calendar-store.ts';
import type { FeedStore } from '../store/schedules/feed-store.ts';
import type { GapStore } from '../store/schedules/gap-store.ts';
import type { ScheduleStore } from '../store/schedules/schedule-store.ts';
import type { SwapStore } from '../store/schedules/swap-store.ts';
import type { SignalStore } from '../store/signals/signal-store.ts';
import type { DeliveryLog } from '../store/webhooks/delivery-log.ts';
import type { WebhookControl } from '../store/webhooks/webhook-control.ts';
import type { TestWebhook } from '../webhooks/send-test-event.ts';
import type { ApiEnv } from './api-env.ts';
import type { ReadShares } from './read-shares.ts';

/** Dependencies of the route handlers. */
export interface RouteDeps {
  readonly incidents: IncidentStore;
  readonly cards: CardStore;
  readonly regrouping: Regrouping;
  readonly declare: Declare;
  readonly mutes: MuteStore;
  readonly people: PeopleStore;
  readonly schedules: ScheduleStore;
  readonly swaps: SwapStore;
  readonly calendars: CalendarStore;
  readonly feeds: FeedStore;
  readonly gaps: Pick<GapStore, 'listWoken'>;
  readonly policies: PolicyStore;
  readonly pageLog: PageLog;
  readonly pageWatch: PageWatch;
  readonly waking: Pick<Waking, 'ways' | 'reports' | 'resolving' | 'dryRun' | 'findAllGaps'>;
  readonly signals: SignalStore;
  readonly integrations: IntegrationStore;
  readonly deliveries: DeliveryLog;
  readonly readShares: ReadShares;
  readonly signInLinks: SignInLinkStore;
  readonly webhookControl: WebhookControl;
  readonly testWebhook: TestWebhook;
  readonly now: () => Date;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  readonly webhooks: {
    /** Whether webhooks may reach the network that the service runs in. */
    readonly allowPrivateAddresses: boolean;
    /** Name servers for their host names, `address:port`; absent: those of the system. */
    readonly nameServers?: readonly string[];
  };
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : null;

interface Input<R extends Route> {
  /** The path's `{id}`; empty when the path has none. */
  readonly id: string;
  /** The path's second parameter; empty when the path has none. */
  readonly innerId: string;
  readonly query: Parsed<R['query']>;
  readonly body: Parsed<R['body']>;
  readonly headers: Headers;
  /** Id of the caller's API key. */
  readonly caller: string;
  readonly callerName: string;
  readonly callerScope: Scope;
  readonly context: Context<ApiEnv>;
}

interface Result<R extends Route> {
  readonly body: R['response'] extends z.ZodType ? z.input<R['response']> : null;
  /** Absent: the status of the route. */
  readonly status?: 200;
  readonly headers?: Readonly<Record<string, string>>;
  /** The same as text/csv, for those who ask for that. */
  readonly csv?: string;
  /** Secret fields of the body. They are sent in this response only and never stored. */
  readonly once?: R['response'] extends z.ZodType ? Partial<z.input<R['response']>> : never;
}

/** One handler per route of the contract. */
export type Handlers = {
  readonly [Name in RouteName]: (input: Input<(typeof routes)[Name]>) => Promise<Result<(typeof routes)[Name]>>;
};

/** A handler of any route. The caller has checked the input against the route. */
export type AnyHandler = (input: {
  readonly id: string;
  readonly innerId: string;
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: Headers;
  readonly caller: string;
  readonly callerName: string;
  readonly callerScope: Scope;
  readonly context: Context<ApiEnv>;
}) => Promise<{
  readonly body: object | null;
  readonly status?: 200;
  readonly headers?: Record<string, string>;
  readonly csv?: string;
  readonly once?: object;
}>;
