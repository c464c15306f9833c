import type { Kysely } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { StormRules } from '../domain/storm.ts';
import { type ActionStore, createActionStore } from './actions.ts';
import { type AnswerStore, createAnswerStore } from './answers.ts';
import { type AuditLog, createAuditLog } from './audit-log.ts';
import { type CardLinkStore, createCardLinkStore } from './card-links.ts';
import { type CardStore, createCardStore } from './cards.ts';
import { type ChannelStore, createChannelStore } from './channels.ts';
import { createHomeStore, type HomeStore } from './homes.ts';
import { createIncidentStore, type IncidentStore } from './incidents.ts';
import { createInstallationStore, type InstallationStore } from './installation.ts';
import { createLabelNames, type LabelNames } from './label-names.ts';
import { createMessageStore, type MessageStore } from './messages.ts';
import { migrations } from './migrations.ts';
import { createNoticeStore, type NoticeStore } from './notices.ts';
import { createOpenViewStore, type OpenViewStore } from './open-views.ts';
import { createPastFixes, type PastFixes } from './past-fixes.ts';
import { createPauseStore, type PauseStore } from './pauses.ts';
import { createPeopleStore, type PeopleStore } from './people.ts';
import { type DuePlace, findDuePlaces } from './places.ts';
import { createReminderStore, type ReminderStore } from './reminders.ts';
import { createRetention, type Retention } from './retention.ts';
import { createRuleStore, type RuleStore } from './rules.ts';
import { createServiceNames, type ServiceNames } from './service-names.ts';
import { createSignInStore, type SignInStore } from './sign-ins.ts';
import { createStormStore, type StormStore } from './storms.ts';
import { BOT_SCHEMA, type Tables } from './tables.ts';

/** The bot's tables. They hold all state, so that any number of bot processes can share it. */
export interface Store {
  /** Places with due messages. */
  duePlaces(rules: StormRules): Promise<DuePlace[]>;
  readonly actions: ActionStore;
  readonly answers: AnswerStore;
  readonly auditLog: AuditLog;
  readonly cardLinks: CardLinkStore;
  readonly cards: CardStore;
  readonly channels: ChannelStore;
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
  readonly reminders: ReminderStore;
  readonly retention: Retention;
  readonly rules: RuleStore;
  readonly signIns: SignInStore;
  readonly serviceNames: ServiceNames;
  readonly storms: StormStore;
}

export async function createStore(database: Database): Promise<Store> {
  const db: Kysely<Tables> = await database.open<Tables>(BOT_SCHEMA, migrations);
  return {
    duePlaces: (rules) => findDuePlaces(db, rules),
    actions: createActionStore(db),
    answers: createAnswerStore(db),
    auditLog: createAuditLog(db),
    cardLinks: createCardLinkStore(db),
    cards: createCardStore(db),
    channels: createChannelStore(db),
    homes: createHomeStore(db),
    incidents: createIncidentStore(db),
    installation: createInstallationStore(db),
    labelNames: createLabelNames(db),
    messages: createMessageStore(db),
    notices: createNoticeStore(db),
    openViews: createOpenViewStore(db),
    pastFixes: createPastFixes(db),
    pauses: createPauseStore(db),
    people: createPeopleStore(db),
    reminders: createReminderStore(db),
    retention: createRetention(db),
    rules: createRuleStore(db),
    signIns: createSignInStore(db),
    serviceNames: createServiceNames(db),
    storms: createStormStore(db),
  };
}
