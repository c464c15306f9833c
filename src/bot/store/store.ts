import type { Kysely } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { StormRules } from '../domain/storm.ts';
import { createPendingActionStore, type PendingActionStore } from './actions.ts';
import { type AuditLog, createAuditLog } from './audit-log.ts';
import { type AuditStore, createAuditStore } from './audits.ts';
import { type CardStore, createCardStore } from './cards.ts';
import { type DueChannel, findDueChannels } from './due.ts';
import { createFreshness, type Freshness } from './freshness.ts';
import { createIncidentStore, type IncidentStore } from './incidents.ts';
import { createLimitStore, type LimitStore } from './limits.ts';
import { migrations } from './migrations.ts';
import { createPastFixes, type PastFixes } from './past-fixes.ts';
import { createRegistrationStore, type RegistrationStore } from './registrations.ts';
import { createServiceStore, type ServiceStore } from './services.ts';
import { createStormStore, type StormStore } from './storms.ts';
import { createSubscriptionStore, type SubscriptionStore } from './subscriptions.ts';
import { BOT_SCHEMA, type Tables } from './tables.ts';
import { createThreadStore, type ThreadStore } from './threads.ts';

/** The bot's own tables. All state is here, so that any number of bot processes can share it. */
export interface Store {
  /** Where the board has something to do. */
  dueChannels(now: Date, rules: StormRules): Promise<DueChannel[]>;
  readonly incidents: IncidentStore;
  readonly cards: CardStore;
  readonly audits: AuditStore;
  readonly auditLog: AuditLog;
  readonly storms: StormStore;
  readonly threads: ThreadStore;
  readonly limits: LimitStore;
  readonly freshness: Freshness;
  readonly pastFixes: PastFixes;
  readonly pendingActions: PendingActionStore;
  readonly subscriptions: SubscriptionStore;
  readonly registrations: RegistrationStore;
  readonly services: ServiceStore;
}

export async function createStore(database: Database): Promise<Store> {
  const db: Kysely<Tables> = await database.open<Tables>(BOT_SCHEMA, migrations);
  return {
    dueChannels: (now, rules) => findDueChannels(db, now, rules),
    incidents: createIncidentStore(db),
    cards: createCardStore(db),
    audits: createAuditStore(db),
    auditLog: createAuditLog(db),
    storms: createStormStore(db),
    threads: createThreadStore(db),
    limits: createLimitStore(db),
    freshness: createFreshness(db),
    pastFixes: createPastFixes(db),
    pendingActions: createPendingActionStore(db),
    subscriptions: createSubscriptionStore(db),
    registrations: createRegistrationStore(db),
    services: createServiceStore(db),
  };
}
