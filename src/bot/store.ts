import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { createKeptEffects, type KeptEffects } from '../effects/kept-effects.ts';
import { renewKeptTrue } from '../effects/new-effects.ts';
import { type ActionStore, createActionStore } from './actions/action-store.ts';
import { type AnswerStore, createAnswerStore } from './actions/answers.ts';
import { type AuditLog, createAuditLog } from './actions/audit-log.ts';
import { ACTION_DEFINITIONS } from './features.ts';
import { createFreshness, type Freshness } from './incident/freshness.ts';
import { createIncidentStore, type IncidentStore } from './incident/incidents.ts';
import { createLabelNames, type LabelNames } from './incident/label-names.ts';
import { createPastFixes, type PastFixes } from './incident/past-fixes.ts';
import { createServiceNames, type ServiceNames } from './incident/service-names.ts';
import { URGENCY } from './incident/urgency.ts';
import type { Consequences } from './incident/write-incident.ts';
import { type AuditStore, createAuditStore } from './messages/audits.ts';
import { redraw } from './messages/due.ts';
import { createMessageStore, type MessageStore } from './messages/message-store.ts';
import { createNoticeStore, type NoticeStore } from './messages/notices.ts';
import { createPauseStore, type PauseStore } from './messages/pauses.ts';
import { type DuePlace, findDuePlaces } from './messages/places.ts';
import { migrations } from './migrations.ts';
import { type CardStore, createCardStore, redrawCards, redrawOpenCards } from './rooms/card/cards.ts';
import { createHomeStore, type HomeStore, redrawHomes } from './rooms/home/homes.ts';
import { createSwapStore, type SwapStore } from './rooms/on-call/swap-messages.ts';
import { createOpenViewStore, type OpenViewStore, redrawOpenViews } from './rooms/open-views/open-views.ts';
import { createReadingStore, type ReadingStore } from './rooms/read/readings.ts';
import { createReminderStore, type ReminderStore } from './rooms/reminders/reminders.ts';
import { placementKey } from './rooms/rules/rule.ts';
import { createPlaceIncident, createRuleStore, type RuleStore } from './rooms/rules/rules.ts';
import { createSubscriptionStore, type SubscriptionStore } from './rooms/rules/subscriptions.ts';
import { createSignInStore, type SignInStore } from './rooms/sign-in/sign-ins.ts';
import type { StormRules } from './rooms/storm/storm.ts';
import { createStormStore, type StormStore } from './rooms/storm/storms.ts';
import { createWakeStore, redrawWakes, type WakeStore } from './rooms/wake/wake-messages.ts';
import { createPeopleStore, type PeopleStore } from './slack/people-store.ts';
import { createInstallationStore, type InstallationStore } from './start/installation.ts';
import { createRetention, type Retention } from './start/retention.ts';
import { BOT_SCHEMA, type Tables } from './tables.ts';

/** The bot's tables. They hold all state, so that any number of bot processes can share it. */
export interface Store {
  /** Places with due messages. */
  duePlaces(rules: StormRules): Promise<DuePlace[]>;
  readonly actions: ActionStore;
  readonly answers: AnswerStore;
  readonly auditLog: AuditLog;
  readonly cards: CardStore;
  readonly audits: AuditStore;
  readonly effects: KeptEffects<Tables>;
  readonly freshness: Freshness;
  readonly homes: HomeStore;
  readonly incidents: IncidentStore;
  readonly installation: InstallationStore;
  readonly labelNames: LabelNames;
  readonly messages: MessageStore;
  readonly notices: NoticeStore;
  readonly openViews: OpenViewStore;
  readonly pastFixes: PastFixes;
  readonly pauses: PauseStore;
  readonly people: PeopleStore;
  readonly readings: ReadingStore;
  readonly reminders: ReminderStore;
  readonly retention: Retention;
  readonly rules: RuleStore;
  readonly signIns: SignInStore;
  readonly serviceNames: ServiceNames;
  readonly storms: StormStore;
  readonly subscriptions: SubscriptionStore;
  readonly swaps: SwapStore;
  readonly wakes: WakeStore;
}

const exists = (written: RawBuilder<unknown>) => sql<boolean>`exists (select from ${written})`;

/** What shows an incident is due in the statement that writes the incident. */
const createConsequences = (): Consequences => ({
  place: createPlaceIncident(),
  isMoved: (before, after) => placementKey(before) !== placementKey(after),
  ofInsert: (written) => ({
    storms: redraw(sql<boolean>`id in (select storm_id from cards)`, URGENCY.state),
    homes: redrawHomes(exists(written)),
  }),
  ofChange: ({ incidentId, urgency, isMoved, written }) => ({
    cards_due: redrawCards(sql`select incident_id from ${written}`, urgency, isMoved),
    homes: redrawHomes(exists(written)),
    views: redrawOpenViews(incidentId, urgency, exists(written)),
    wakes: redrawWakes(incidentId, exists(written)),
    effects_due: renewKeptTrue(incidentId, exists(written)),
  }),
});

export async function createStore(database: Database): Promise<Store> {
  const db: Kysely<Tables> = await database.open<Tables>(BOT_SCHEMA, migrations);
  return {
    duePlaces: (rules) => findDuePlaces(db, rules),
    actions: createActionStore(db, ACTION_DEFINITIONS, redrawCards),
    answers: createAnswerStore(db),
    auditLog: createAuditLog(db),
    cards: createCardStore(db),
    audits: createAuditStore(db),
    effects: createKeptEffects(db),
    freshness: createFreshness(db, async (tx) => {
      await redrawOpenCards().execute(tx);
      await redrawHomes().execute(tx);
    }),
    homes: createHomeStore(db),
    incidents: createIncidentStore(db, createConsequences()),
    installation: createInstallationStore(db),
    labelNames: createLabelNames(db),
    messages: createMessageStore(db),
    notices: createNoticeStore(db),
    openViews: createOpenViewStore(db),
    pastFixes: createPastFixes(db),
    pauses: createPauseStore(db),
    people: createPeopleStore(db),
    readings: createReadingStore(db),
    reminders: createReminderStore(db),
    retention: createRetention(db),
    rules: createRuleStore(db),
    signIns: createSignInStore(db),
    serviceNames: createServiceNames(db),
    storms: createStormStore(db),
    subscriptions: createSubscriptionStore(db),
    swaps: createSwapStore(db),
    wakes: createWakeStore(db),
  };
}
