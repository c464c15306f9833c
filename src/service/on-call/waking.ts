import { setImmediate } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import webPush from 'web-push';
import { WAY_KINDS } from '../../contract/waking.ts';
import type { EffectKind, Performer } from '../../effects/performer.ts';
import { createEventStore } from '../store/events/event-store.ts';
import { createSecret } from '../store/integrations/integration-store.ts';
import { hearSoon, readAsked } from '../store/pages/answers.ts';
import { readPolicies } from '../store/pages/follow-pages.ts';
import {
  attemptKind,
  hearKind,
  REMIND_KIND,
  STEP_KIND,
  takeBackKind,
  UNREPORTED_KIND,
} from '../store/pages/page-effects.ts';
import { createPageStore } from '../store/pages/page-store.ts';
import { readSpending } from '../store/pages/spending.ts';
import { readHistories } from '../store/pages/wake-history.ts';
import { createWakingKeys } from '../store/pages/waking-keys.ts';
import { createWayStore } from '../store/pages/way-store.ts';
import type { PeopleStore } from '../store/people/people-store.ts';
import { CALENDAR_KIND, createCalendarStore } from '../store/schedules/calendar-store.ts';
import { GAPS_KIND } from '../store/schedules/gap-effect.ts';
import { createGapStore } from '../store/schedules/gap-store.ts';
import type { ScheduleStore } from '../store/schedules/schedule-store.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import type { GuardedFetch } from '../webhooks/guarded-get.ts';
import type { WebhookSender } from '../webhooks/webhook-sender.ts';
import { type Answers, createAnswers } from './answer.ts';
import { createAttemptKind, createUnreportedKind } from './attempt-kind.ts';
import { createCalendarKind } from './calendar-kind.ts';
import { createDryRun, type DryRunPolicy } from './dry-run.ts';
import { createFindGaps, createGapsKind, type FindAllGaps } from './gaps-kind.ts';
import { createHearKind } from './hear-kind.ts';
import { createRemindKind } from './remind-kind.ts';
import { createReports, type Reports } from './report.ts';
import type { Duty, ResolveDeps } from './resolve.ts';
import { createStepKind } from './step-kind.ts';
import { createTakeBackKind } from './take-back-kind.ts';
import { createWayControl, type WayControl } from './way-control.ts';
import { COSTLY, checkSpending } from './ways/budget.ts';
import type { Provider } from './ways/provider.ts';
import type { TellBots } from './ways/slack/slack.ts';
import { isSignedBy } from './ways/twilio/signature.ts';
import { createWays, type WaySettings } from './ways/ways.ts';
import { createWriteMessage } from './write-message.ts';

/** What the API and the pages use of waking. */
export interface Waking {
  readonly answers: Answers;
  readonly reports: Reports;
  readonly ways: WayControl;
  /** The public key that a browser subscribes with. */
  readonly pushKey: () => Promise<string>;
  readonly resolving: ResolveDeps;
  readonly dryRun: DryRunPolicy;
  readonly findAllGaps: FindAllGaps;
  /** What Twilio tells by itself; null: no account is set. */
  readonly twilio: {
    isSigned(url: string, form: Readonly<Record<string, string>>, signature: string): boolean;
    /** Asks for answers by SMS now. */
    hearSoon(): Promise<void>;
  } | null;
}

/** Adds the effects of pages to the performer of the process. */
export function startWaking(deps: {
  readonly db: Kysely<ServiceTables>;
  /** For what takes long to read. */
  readonly reading: Kysely<ServiceTables>;
  readonly duty: Omit<Duty, 'readSchedule'> &
    Pick<PeopleStore, 'listPeople'> &
    Pick<ScheduleStore, 'readSchedule' | 'listSchedules'>;
  /** Reads calendars. */
  readonly fetch: GuardedFetch;
  readonly performer: Pick<Performer<ServiceTables>, 'add'>;
  readonly sender: WebhookSender;
  readonly provider: Provider;
  readonly settings: WaySettings;
  readonly publicUrl: string;
  /** Whether others than this machine and its network reach `publicUrl`. */
  readonly isPublic: boolean;
  readonly logger: Logger;
  readonly now: () => Date;
}): Waking {
  const { db, duty, settings, publicUrl, now } = deps;
  const keys = createWakingKeys(db, () => webPush.generateVAPIDKeys());
  const answerSecret = async () => (await keys()).answerSecret;
  const vapidKeys = async () => {
    const { publicKey, privateKey } = await keys();
    return { publicKey, privateKey };
  };
  const events = createEventStore(db);
  const tellBots: TellBots = async (type, slackUserId, { id: attemptId, title, lines }) => {
    const about = await readAsked(db, attemptId);
    await events.tellBots(type, { ...about, attemptId, slackUserId, title, lines }, now());
  };
  const checkBudget = async (id: string) => checkSpending(await readSpending(db, id, COSTLY));
  const ways = createWays({ ...deps, createSecret, tellBots, vapidKeys, checkBudget });
  const write = createWriteMessage({ answerSecret, publicUrl });
  const pages = createPageStore(db);
  const store = createWayStore(db);
  const resolving: ResolveDeps = { duty, ways: store };
  const answers = createAnswers({ db, answerSecret, now });
  const kinds: [string, EffectKind<ServiceTables>][] = WAY_KINDS.flatMap((kind) => [
    [attemptKind(kind), createAttemptKind(kind, ways[kind], { pages, write })],
    [takeBackKind(kind), createTakeBackKind(kind, ways[kind], { pages, write })],
    [hearKind(kind), createHearKind(kind, ways[kind], { pages, write, answers })],
  ]);
  const watching = { schedules: duty, people: duty, ways: store, listPolicies: () => readPolicies(db), now };
  const findAllGaps = createFindGaps(watching);
  deps.performer.add({
    [GAPS_KIND]: createGapsKind({ ...watching, gaps: createGapStore(db), findAllGaps }),
    [CALENDAR_KIND]: createCalendarKind({
      ...deps,
      readSchedule: (id) => duty.readSchedule(id),
      calendars: createCalendarStore(db),
      people: duty,
    }),
  });
  deps.performer.add({
    [STEP_KIND]: createStepKind({ ...resolving, pages, now }),
    [UNREPORTED_KIND]: createUnreportedKind(pages),
    [REMIND_KIND]: createRemindKind(now),
    ...Object.fromEntries(kinds),
  });

  return {
    answers,
    reports: createReports({ db, duty, answers }),
    ways: createWayControl({ ...deps, store, ways, write }),
    pushKey: async () => (await keys()).publicKey,
    resolving,
    findAllGaps,
    dryRun: createDryRun({
      readHistories: (since, most) => readHistories(deps.reading, since, most),
      listPolicies: () => readPolicies(db),
      listPeople: () => duty.listPeople(),
      listWays: () => store.listAll(),
      readSchedule: (id) => duty.readSchedule(id),
      pause: () => setImmediate(),
      now,
    }),
    twilio:
      settings.twilio === null
        ? null
        : { isSigned: isSignedBy(settings.twilio.authToken), hearSoon: () => hearSoon(db, 'sms') },
  };
}
