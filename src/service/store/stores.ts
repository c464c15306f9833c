import type { Kysely } from 'kysely';
import { createEventStore } from './events/event-store.ts';
import { createIdempotencyStore } from './idempotency-store.ts';
import { createCardStore } from './incidents/card-store.ts';
import { createIncidentStore } from './incidents/incident-store.ts';
import { createLessonStore } from './incidents/lesson-store.ts';
import { createRegrouping } from './incidents/regrouping.ts';
import { createAskedStateStore } from './integrations/asked-state-store.ts';
import { createIntegrationStore } from './integrations/integration-store.ts';
import { createMonitorStore } from './integrations/monitor-store.ts';
import { createPostedAlertStore } from './integrations/posted-alert-store.ts';
import { createRefusedPayloadStore } from './integrations/refused-payload-store.ts';
import { createApiKeyStore } from './keys/api-key-store.ts';
import { createMuteStore } from './mutes/mute-store.ts';
import { createPageLog } from './pages/page-log.ts';
import { createPageWatch } from './pages/page-watch.ts';
import { createPolicyStore } from './pages/policy-store.ts';
import { createPeopleStore } from './people/people-store.ts';
import { createSessionStore } from './people/session-store.ts';
import { createSignInLinkStore } from './people/sign-in-link-store.ts';
import { createCalendarStore } from './schedules/calendar-store.ts';
import { createFeedStore } from './schedules/feed-store.ts';
import { createGapStore } from './schedules/gap-store.ts';
import { createScheduleStore } from './schedules/schedule-store.ts';
import { createSwapStore } from './schedules/swap-store.ts';
import type { ServiceTables } from './schema/tables.ts';
import { createServiceStore } from './service-store.ts';
import { createSignalStore } from './signals/signal-store.ts';
import { createDeliveryLog } from './webhooks/delivery-log.ts';
import { createWebhookControl } from './webhooks/webhook-control.ts';
import { createWebhookStore } from './webhooks/webhook-store.ts';

export type Stores = ReturnType<typeof createStores>;

/** @param reading for what takes long to read */
export function createStores(db: Kysely<ServiceTables>, reading: Kysely<ServiceTables>) {
  return {
    incidents: createIncidentStore(db, reading),
    mutes: createMuteStore(db),
    people: createPeopleStore(db),
    schedules: createScheduleStore(db),
    swaps: createSwapStore(db),
    calendars: createCalendarStore(db),
    feeds: createFeedStore(db),
    gaps: createGapStore(db),
    lessons: createLessonStore(db),
    cards: createCardStore(db),
    regrouping: createRegrouping(db),
    signals: createSignalStore(db, reading),
    integrations: createIntegrationStore(db),
    monitors: createMonitorStore(db),
    keys: createApiKeyStore(db),
    sessions: createSessionStore(db),
    signInLinks: createSignInLinkStore(db),
    idempotency: createIdempotencyStore(db),
    events: createEventStore(db),
    webhookStore: createWebhookStore(db),
    webhookControl: createWebhookControl(db),
    deliveries: createDeliveryLog(db),
    policies: createPolicyStore(db),
    pageLog: createPageLog(db),
    pageWatch: createPageWatch(db),
    refusedPayloads: createRefusedPayloadStore(db),
    askedStates: createAskedStateStore(db),
    postedAlerts: createPostedAlertStore(db),
    services: createServiceStore(db),
  };
}
