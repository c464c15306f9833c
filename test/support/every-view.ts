import type { KnownBlock, ModalView } from '@slack/types';
import fc from 'fast-check';
import { declareModal } from '../../src/bot/declare/declare-modal.ts';
import type { Action, ActionKind, IncidentActionKind, Outcome } from '../../src/bot/domain/action.ts';
import { COMMAND_WORDS } from '../../src/bot/domain/commands.ts';
import type { SlackMessage } from '../../src/bot/domain/slack-message.ts';
import type { Snapshot } from '../../src/bot/domain/snapshot.ts';
import type { StormSummary } from '../../src/bot/domain/storm.ts';
import { handoverMessage } from '../../src/bot/handover/handover-view.ts';
import { homeForOthers, homeTab, SHOWN_IN_HOME } from '../../src/bot/home/home-view.ts';
import { detailsModal, incidentDetails } from '../../src/bot/lists/incident-details.ts';
import { closedList, incidentList, LIST_PAGE_SIZE, type ListPage } from '../../src/bot/lists/incident-list.ts';
import { noteModal } from '../../src/bot/note/note-modal.ts';
import { alertMessage, reminderMessage } from '../../src/bot/reminders/reminder-view.ts';
import { stormAlertMessage, stormReminderMessage } from '../../src/bot/reminders/storm-reminder-view.ts';
import { rulesDeleted, unsubscribeQuestion } from '../../src/bot/rules/rule-answers.ts';
import { isTooLong, ruleCheck } from '../../src/bot/rules/rule-check.ts';
import { ruleForm } from '../../src/bot/rules/rule-form.ts';
import { rulesMessage } from '../../src/bot/rules/rule-words.ts';
import { dashboardLink, noDashboard, plainDashboardLink } from '../../src/bot/sign-in/dashboard-link-view.ts';
import { causesMessage, causesModal } from '../../src/bot/signals/causes-modal.ts';
import { ALL_SIGNALS } from '../../src/bot/signals/signal-filter.ts';
import { signalMessage, signalModal } from '../../src/bot/signals/signal-modal.ts';
import { type SignalsPage, signalsMessage, signalsModal } from '../../src/bot/signals/signals-modal.ts';
import { muteModal } from '../../src/bot/snooze/mute-modal.ts';
import { incidentStats } from '../../src/bot/stats/stats.ts';
import { noneOf, statsMessage, unknownService } from '../../src/bot/stats/stats-view.ts';
import { steerModal } from '../../src/bot/steer/steer-modal.ts';
import { stormCard } from '../../src/bot/storm/storm-card.ts';
import { STORM_PAGE_SIZE, stormList } from '../../src/bot/storm/storm-list.ts';
import * as answers from '../../src/bot/views/answers.ts';
import { healthMessage } from '../../src/bot/views/health.ts';
import * as help from '../../src/bot/views/help.ts';
import { incidentCard } from '../../src/bot/views/incident-card.ts';
import * as outcomeAnswers from '../../src/bot/views/outcome-answers.ts';
import { readingModal } from '../../src/bot/views/reading-modal.ts';
import { type ResolveForm, resolveModal, shortTaught } from '../../src/bot/views/resolve-modal.ts';
import { snoozeQuestion } from '../../src/bot/views/snooze.ts';
import { nothingOpen, unknownButOpen, whichIncident } from '../../src/bot/views/which-incident.ts';
import type { Mute } from '../../src/contract/mute.ts';
import { Severity } from '../../src/contract/resources.ts';
import { anyIncident, anySignal, hostile, moment, strangersIncident } from './any-incident.ts';

export type View = SlackMessage | ModalView | { readonly type: 'home'; readonly blocks: KnownBlock[] };

const NOW = new Date('2026-01-31T08:20:00.000Z');
const STORM_ID = '00000000-0000-4000-8000-000000000000';
const TRACE_URL = 'https://traces.example/{trace_id}';
const KEPT_REASONS = ['unreachable', 'failing', 'key'] as const;

const count = fc.constantFrom(0, 1, 2_000_000);
const incident = fc.oneof({ weight: 4, arbitrary: anyIncident }, { weight: 1, arbitrary: strangersIncident });
const note = fc.oneof(hostile, fc.constant('&'.repeat(3_000)), fc.constant(`${'🚒 '.repeat(4_000)}the end`));

type DataOf<Kind extends ActionKind> = Omit<Action<Kind>, keyof typeof ASKED | 'kind' | 'incidentId'>;

const ASKED = {
  id: STORM_ID,
  slackUserId: 'U1',
  channelId: 'C1',
  userName: 'ana@example.com',
  attempts: 0,
  origin: 'incident_acknowledge',
  keptAt: NOW,
};
const muteTarget = fc.constant('service' as const);
const anySeverity = fc.constantFrom(...Severity.options);
const setByHand = fc.record(
  {
    title: fc.option(hostile),
    severity: fc.option(anySeverity),
    root_service: fc.option(hostile),
    lead: fc.option(hostile),
    communications: fc.option(hostile),
  },
  { requiredKeys: [] },
);

/** What actions of each kind hold beside the incident. */
const ACTION_DATA: { readonly [Kind in ActionKind]: fc.Arbitrary<DataOf<Kind>> } = {
  acknowledge: fc.constant({}),
  resolve: fc.record({ note, asksFirst: fc.boolean(), isNoProblem: fc.boolean() }),
  unacknowledge: fc.constant({ undoes: STORM_ID }),
  reopen: fc.record({ undoes: fc.constant(STORM_ID), note }),
  snooze: fc.record({ until: fc.constant(NOW), reason: fc.option(hostile) }),
  unsnooze: fc.constant({}),
  note: fc.record({ note }),
  steer: fc.record({ set: setByHand, before: setByHand }),
  unsteer: fc.record({ undoes: fc.constant(STORM_ID), set: setByHand, before: setByHand }),
  declare: fc.record({ title: hostile, service: hostile, severity: anySeverity, note: fc.option(hostile) }),
  mute: fc.record({
    target: muteTarget,
    value: hostile,
    until: fc.constant(NOW),
    reason: fc.option(hostile),
    startsAt: fc.option(fc.constant(NOW)),
    every: fc.constantFrom(null, 'day' as const, 'week' as const),
    timeZone: fc.constant('UTC'),
  }),
  unmute: fc.record({ target: muteTarget, value: hostile, muteId: hostile }),
};
const KINDS = Object.keys(ACTION_DATA) as ActionKind[];
const isMute = (kind: ActionKind) => kind === 'mute' || kind === 'unmute';
const isOnNothing = (kind: ActionKind) => kind === 'mute' || kind === 'unmute' || kind === 'declare';

function actionOf<Kind extends ActionKind>(kind: Kind): fc.Arbitrary<Action<Kind>> {
  return fc
    .record({ data: ACTION_DATA[kind] as fc.Arbitrary<object>, incidentId: hostile })
    .map(
      ({ data, incidentId }) =>
        ({ ...ASKED, kind, incidentId: isOnNothing(kind) ? null : incidentId, ...data }) as never,
    );
}

const action: fc.Arbitrary<Action> = fc.constantFrom(...KINDS).chain((kind) => actionOf(kind));

const content = fc.record({
  incident,
  isGone: fc.boolean(),
  waiting: fc.array(
    hostile.map((user) => ({ kind: 'resolve' as const, user })),
    { maxLength: 9 },
  ),
  firstSignalCount: fc.constantFrom(null, 1),
  related: anyIncident.map((other) => [{ ...other, id: 'inc_2' }]),
  people: hostile.map((name) => [{ name, slackUserId: 'U0ANA' }]),
  traceUrl: fc.constantFrom(null, TRACE_URL),
});

const page: fc.Arbitrary<ListPage> = fc
  .record({
    incidents: fc.uniqueArray(incident, { selector: ({ id }) => id, maxLength: LIST_PAGE_SIZE }),
    offset: fc.constantFrom(0, 20),
    total: fc.constantFrom(null, 3_000),
    hasMore: fc.boolean(),
    service: fc.option(hostile),
    labels: fc.option(hostile.map((name) => [`team:${name}`])),
  })
  .map(({ service, labels, ...fields }) => ({
    ...fields,
    asOf: NOW,
    query: { service, severity: null, labels, isAcknowledged: null, periodMs: null, acknowledgedBy: null },
  }));

const storm: fc.Arbitrary<StormSummary> = fc.record({
  id: fc.constant(STORM_ID),
  startedAt: fc.constant(NOW),
  calmAt: fc.constantFrom(null, NOW),
  endedAt: fc.constantFrom(null, NOW),
  services: fc.array(
    fc.record({
      service: fc.oneof(hostile, fc.constant('s'.repeat(2_500))),
      incidents: count,
      open: count,
      unacknowledged: count,
      worst: fc.constantFrom(null, ...Severity.options),
      title: fc.option(hostile),
      signals: count,
      byType: fc.option(fc.record({ trace: count, metric: count, log: count })),
    }),
    { maxLength: 30 },
  ),
  first: fc.option(incident),
});

const form: fc.Arbitrary<ResolveForm> = fc.record({
  context: fc.record({
    incidentId: fc.constant('i'.repeat(255)),
    channelId: fc.constantFrom(null, 'C1'),
    isAsked: fc.boolean(),
    stillFiring: fc.option(
      fc.record({
        signals: fc.constant(3_000),
        services: fc.array(
          hostile.map((name) => name.slice(0, 100)),
          { maxLength: 5 },
        ),
        moreServices: count,
        lastSeenAt: moment,
      }),
    ),
    list: fc.option(
      fc.constant({
        name: '20 open',
        viewId: null,
        responseUrl: `https://hooks.slack.com/${'a'.repeat(100)}`,
        channelId: 'C1',
        messageTs: '1700000000.000100',
      }),
    ),
    teaches: fc.array(hostile, { maxLength: 5 }).map((teaches) => shortTaught(teaches)),
  }),
  label: incident.map(({ id }) => `Incident ${id.replace(/[^\w]/g, '') || 'x'}`),
  rootService: fc.option(hostile),
  isFailing: fc.boolean(),
  pastFixes: fc.array(
    fc.record({ incidentId: fc.constant('inc_1'), note, by: fc.option(hostile), closedAt: fc.constant(NOW) }),
    { maxLength: 2 },
  ),
  draft: fc.record({ text: note, edition: fc.nat({ max: 9 }) }),
});

const context = { incidentId: 'inc_1', filter: ALL_SIGNALS, offset: 0 };
const signalsPage: fc.Arbitrary<SignalsPage> = fc
  .record({
    signals: fc
      .array(anySignal, { maxLength: 30, size: 'max' })
      .map((signals) => signals.map((each, index) => ({ ...each, id: `${index}${each.id}`.slice(0, 255) }))),
    hasCauses: fc.boolean(),
    offset: fc.constantFrom(0, 10),
  })
  .map(({ signals, hasCauses, offset }) => ({
    context: { ...context, offset },
    label: '#1 payments',
    signals,
    matching: signals,
    signalCount: 3_000,
    hasCauses,
    asOf: NOW,
    refreshedUntil: NOW,
  }));

const correlation = fc.record({
  method: hostile,
  confidence: fc.constantFrom(0, 0.67, 1),
  services: fc.array(fc.record({ name: hostile, signals: count, is_root: fc.boolean(), score: fc.constant(0.5) }), {
    maxLength: 9,
  }),
  edges: fc.array(fc.record({ from: hostile, to: hostile, calls: count, errors: count }), { maxLength: 60 }),
  window: fc.constant({ from: NOW.toISOString(), to: NOW.toISOString() }),
  evidence: fc.array(hostile, { maxLength: 9 }),
  candidates: fc.array(
    fc.record({ service: hostile, score: fc.constantFrom(0, 0.5), reasons: fc.array(hostile, { maxLength: 9 }) }),
    { maxLength: 9 },
  ),
});

const newer = fc.record({ kind: fc.constantFrom(...KINDS), at: fc.constant(NOW), by: fc.option(hostile) });
const anyEnd = fc.constantFrom('done' as const, 'already' as const);

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({ kind: anyEnd, action: actionOf<IncidentActionKind>('resolve'), incident: anyIncident }),
  ...KINDS.map((kind) =>
    fc.record({ kind: anyEnd, action: actionOf(kind), incident: isMute(kind) ? fc.constant(null) : anyIncident }),
  ),
  fc.record({ kind: fc.constant('void' as const), action, incident: fc.option(anyIncident), newer }),
  fc.record({
    kind: fc.constant('kept' as const),
    action,
    reason: fc.constantFrom(...KEPT_REASONS, 'no-card-yet' as const, 'planned' as const),
  }),
  fc.record({
    kind: fc.constant('asked' as const),
    action: actionOf('resolve'),
    incident: anyIncident,
    stillFiring: fc.constant(null),
  }),
  fc.record({
    kind: fc.constant('refused' as const),
    action,
    reason: fc.oneof(
      fc.record({ kind: fc.constant('rejected' as const), detail: fc.option(hostile) }),
      fc.constant({ kind: 'unknown-incident' as const }),
    ),
  }),
) as fc.Arbitrary<Outcome>;

type NotAllowed = Parameters<typeof answers.mayNotAct>[0];

const notAllowed: fc.Arbitrary<NotAllowed> = hostile.chain((group) =>
  fc.constantFrom<NotAllowed[]>(
    { kind: 'guest' },
    { kind: 'stranger' },
    { kind: 'no-responder', groups: [group] },
    { kind: 'unverified', groups: [group] },
  ),
);

const step = (kind: 'group' | 'channel' | 'members', id: string) =>
  ({ name: 'step 0', dueAt: NOW, step: { afterMinutes: 5, target: { kind, id } } }) as const;

const reminder = fc.record({
  incident: anyIncident,
  reminder: fc.constantFrom(
    step('group', 'S1'),
    step('channel', 'C1'),
    step('members', 'S1'),
    { name: 'still failing', dueAt: NOW, newFailures: 12 } as const,
    { name: 'recovered', dueAt: NOW } as const,
  ),
  takenBy: fc.constantFrom(null, 'U1'),
  told: fc.constantFrom(0, 1, 9),
  now: fc.constant(NOW),
});

const membersOf = (incidents: readonly Snapshot[]) =>
  incidents.map((each) => ({ incident: each, isUnread: false, isWaiting: false }));

const ruleFilter = fc.record({
  services: fc.oneof(
    fc.array(
      hostile.map((name) => name.slice(0, 80)),
      { maxLength: 11 },
    ),
    fc.constant(Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(18, 's'))), // exactly 998 characters
    fc.constant(Array.from({ length: 60 }, (_, index) => `${index}`.padEnd(200, 's'))),
    fc.constant<string[]>(['s'.repeat(4_000)]),
  ),
  severities: fc.subarray([...Severity.options]),
  integrations: fc.array(fc.constant('int_1'), { maxLength: 3 }),
  labels: fc.array(
    hostile.map((name) => `team:${name.slice(0, 80)}`),
    { maxLength: 8 },
  ),
});
const target = (kind: 'group' | 'channel' | 'members', id: string) => ({ afterMinutes: 5, target: { kind, id } });
const ruleSettings = fc.record({
  channelId: fc.constant('C1'),
  filter: ruleFilter,
  escalation: fc.subarray([target('group', 'S1'), target('channel', 'C2'), target('members', 'S1')]),
  quietHours: fc.option(fc.constant({ from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' })),
  handover: fc.option(fc.constant({ at: '09:00', timeZone: 'Europe/Berlin' })),
});
const rule = ruleSettings.map((settings) => ({ ...settings, id: STORM_ID, createdBy: 'U1', changedAt: NOW }));
const mute: fc.Arbitrary<Mute> = fc.record({
  id: fc.constant('mute_1'),
  target: fc.constantFrom('service', 'integration'),
  value: hostile,
  until: fc.constant(NOW.toISOString()),
  reason: fc.option(hostile),
  created_by: hostile,
  created_at: fc.constant(NOW.toISOString()),
});
const ruleContext = fc.constantFrom(
  { ruleId: null, channelId: 'C1', directId: null, timeZone: 'UTC' },
  { ruleId: STORM_ID, channelId: 'D1', directId: 'D1', timeZone: 'UTC' },
);
const choices = (id: string) =>
  fc
    .array(hostile, { maxLength: 120 })
    .map((names) => names.map((name, index) => ({ id: `${id}${index}`, name: name || 'x' })));
const noise = fc.constantFrom({ cards: 0, actedOn: 0 }, { cards: 212, actedOn: 9 });
const listed = fc.record({
  incidents: fc.uniqueArray(incident, { selector: ({ id }) => id, maxLength: SHOWN_IN_HOME }),
  total: fc.constantFrom(10, 400),
});
/** A Home tab has no text. */
const home = ({ blocks }: SlackMessage): View => ({ type: 'home', blocks });

const word = fc.constantFrom(...COMMAND_WORDS);
const once = (...views: View[]): fc.Arbitrary<View> => fc.constantFrom(...views);

/** Every function in `src/bot/views` that makes a message, modal or Home tab, with what it makes of any incident. */
export const EVERY_VIEW: Readonly<Record<string, fc.Arbitrary<View>>> = {
  incidentCard: content.map((each) => incidentCard(each, NOW)),
  incidentDetails: content.map((each) => incidentDetails(each)),
  detailsModal: content.map((each) => detailsModal(incidentDetails(each))),
  incidentList: page.map(incidentList),
  closedList: page.map(closedList),
  stormCard: storm.map((each) => stormCard(each, NOW)),
  stormList: fc
    .tuple(fc.uniqueArray(incident, { selector: ({ id }) => id, maxLength: STORM_PAGE_SIZE }), fc.option(outcome))
    .map(([incidents, told]) => {
      const notice = told === null ? null : outcomeAnswers.outcomeAnswer(told);
      return stormList({ stormId: STORM_ID, incidents, offset: 12, total: 36, asOf: NOW }, notice);
    }),
  resolveModal: form.map(resolveModal),
  declareModal: fc
    .record({ title: hostile, service: hostile, note })
    .map((draft) => declareModal({ channelId: 'C1' }, draft)),
  muteModal: fc
    .record({ value: hostile.map((value) => value.slice(0, 255) || 'x'), reason: hostile })
    .map(({ value, reason }) => muteModal({ target: 'service', value, channelId: 'C1' }, { time: null, reason })),
  steerModal: anyIncident.map((each) =>
    steerModal({
      incident: each,
      people: [{ name: each.lead ?? '', slackUserId: 'U1' }],
      groups: [{ id: 'S1', name: `@${each.communications ?? 'sre'}` }],
      channelId: 'C1',
    }),
  ),
  noteModal: fc
    .tuple(fc.uniqueArray(incident, { selector: ({ id }) => id, maxLength: 120 }), note)
    .map(([incidents, draft]) => noteModal({ channelId: 'C1' }, incidents, draft)),
  readingModal: page.map((each) => readingModal('Incidents', incidentList(each).blocks)),
  reminderMessage: reminder.map(reminderMessage),
  alertMessage: anyIncident.map((each) => alertMessage(each, NOW)),
  stormReminderMessage: fc.tuple(fc.array(anyIncident, { minLength: 1, maxLength: 5 }), reminder).map(
    ([
      incidents,
      {
        reminder: { dueAt },
        told,
      },
    ]) => {
      const worst = incidents[0] as Snapshot; // there is at least one
      const next = { ...step('members', 'S1'), dueAt, worst };
      return stormReminderMessage({ stormId: STORM_ID, members: membersOf(incidents), reminder: next, told, now: NOW });
    },
  ),
  stormAlertMessage: anyIncident.map((worst) =>
    stormAlertMessage({ stormId: STORM_ID, members: membersOf([worst]), worst, now: NOW }),
  ),
  signalsModal: signalsPage.map(signalsModal),
  signalsMessage: once(signalsMessage(context, 'Reading…')),
  signalModal: anySignal.map((each) => signalModal(each, TRACE_URL)),
  signalMessage: once(signalMessage('Reading…')),
  causesModal: fc
    .tuple(anyIncident, correlation)
    .map(([{ root_service }, known]) => causesModal({ root_service }, known)),
  causesMessage: once(causesMessage('Reading…')),
  rulesMessage: fc
    .record({
      rules: fc.array(rule, { maxLength: 30 }),
      noise,
      mutes: fc.option(fc.array(mute, { maxLength: 20 })),
      planned: fc.array(actionOf('mute'), { maxLength: 20 }) as fc.Arbitrary<Action<'mute'>[]>,
      proposal: fc.option(fc.record({ filter: ruleFilter, noise })),
    })
    .map(rulesMessage),
  unsubscribeQuestion: fc.array(rule, { minLength: 1, maxLength: 60 }).map(unsubscribeQuestion),
  rulesDeleted: fc.array(rule, { minLength: 1, maxLength: 60 }).map(rulesDeleted),
  ruleForm: fc
    .record({
      context: ruleContext,
      settings: ruleSettings,
      groups: choices('S'),
      integrations: choices('int_'),
      hasLabels: fc.constantFrom(null, true, false),
    })
    .map(ruleForm),
  ruleCheck: fc
    .record({ context: ruleContext, settings: ruleSettings })
    .filter((draft) => !isTooLong(draft))
    .map((draft) => ruleCheck(draft, 7, { cards: 212, actedOn: 9, lacksLabels: true, isWhole: false }, 'external')),
  mayNotChangeRules: notAllowed.map(answers.mayNotChangeRules),
  homeTab: fc
    .record({
      mine: listed,
      untaken: listed,
      muted: listed,
      openTotal: count,
      rules: fc.array(rule, { maxLength: 12 }),
      staleSince: fc.constantFrom(null, NOW),
    })
    .map((each) => home(homeTab({ ...each, asOf: NOW }))),
  homeForOthers: once(home(homeForOthers(null)), home(homeForOthers('guest'))),
  dashboardLink: fc
    .record({
      role: fc.constantFrom('viewer' as const, 'responder' as const, 'admin' as const),
      number: fc.option(fc.nat()),
      isAskedOnPage: fc.boolean(),
    })
    .map((each) => dashboardLink({ url: 'https://tocsin.example/sign-in?token=x', expiresAt: NOW, ...each })),
  plainDashboardLink: once(plainDashboardLink('https://tocsin.example/incidents/1')),
  noDashboard: once(noDashboard()),
  handoverMessage: fc.tuple(fc.array(anyIncident, { maxLength: 40 }), fc.boolean()).map(([incidents, isQuiet]) =>
    handoverMessage({
      from: NOW,
      to: NOW,
      opened: incidents.length,
      untaken: isQuiet ? [] : incidents,
      taken: incidents,
      closed: incidents,
    }),
  ),
  typedNote: note.map(answers.typedNote),
  pieceOfFile: note.map((each) => answers.pieceOfFile('The export', each)),
  statsMessage: fc
    .tuple(fc.array(anyIncident, { maxLength: 20 }), fc.option(hostile))
    .map(([incidents, service]) =>
      statsMessage(incidentStats(incidents), { periodMs: 604_800_000, service, isCut: true }),
    ),
  noneOf: hostile.map((service) => noneOf(service, 604_800_000)),
  unknownService: fc
    .tuple(hostile, fc.option(hostile), fc.array(hostile, { maxLength: 9 }))
    .map((known) => unknownService(...known)),
  whichIncident: fc
    .record({
      word: fc.constantFrom('ack' as const, 'resolve' as const),
      service: fc.option(hostile),
      incidents: fc.uniqueArray(incident, { selector: ({ id }) => id, minLength: 1, maxLength: 20 }),
    })
    .map(({ word: asked, ...which }) => whichIncident(asked, which)),
  unknownButOpen: fc
    .tuple(hostile, fc.array(incident, { minLength: 1, maxLength: 20 }))
    .map(([typed, open]) => unknownButOpen('export', typed, open)),
  nothingOpen: once(nothingOpen('ack'), nothingOpen('resolve')),
  snoozeQuestion: incident.map(snoozeQuestion),
  answer: note.map((each) => answers.answer('A sentence.', each)),
  outcomeAnswer: outcome.map(outcomeAnswers.outcomeAnswer),
  cancellationAnswer: action.chain((each) =>
    once(
      ...(['being-sent', 'settled', 'unknown'] as const).map((kind) => outcomeAnswers.cancellationAnswer({ kind })),
      outcomeAnswers.cancellationAnswer({ kind: 'cancelled', action: each }),
    ),
  ),
  incidentNotFound: hostile.map(answers.incidentNotFound),
  serviceFailing: once(...KEPT_REASONS.map(answers.serviceFailing)),
  missingReference: word.map(answers.missingReference),
  cannotAssign: hostile.map(answers.cannotAssign),
  outdatedControl: once(answers.outdatedControl()),
  unknownCommand: hostile.map(answers.unknownCommand),
  somethingBroke: once(answers.somethingBroke()),
  notOpened: hostile.chain((error) =>
    once(...['refused-token', 'refused'].map((kind) => answers.notOpened('list', { kind, error }))),
  ),
  mayNotAct: notAllowed.map(answers.mayNotAct),
  notSaved: note.map(answers.notSaved),
  declarationNotSaved: note.map(answers.declarationNotSaved),
  noteKept: once(answers.noteKept()),
  closedAlready: anyIncident.map(outcomeAnswers.closedAlready),
  healthMessage: hostile.map((problem) =>
    healthMessage({
      counters: { lag: { p50Ms: 20, p95Ms: 120_000, changes: 9 }, cardsShown: 9, limits: 2, repairs: 0 },
      waiting: { person: 1, opened: 2, state: 3, count: 4, reply: 5, withheld: 6 },
      oldestSince: NOW,
      keptActions: 3,
      problems: [problem],
      lastLimit: { call: null, placeId: 'C1', reason: problem, failures: 1, since: NOW, until: NOW },
      service: { isAnswering: false, answeredAt: NOW, isFollowed: true },
      now: NOW,
    }),
  ),
  helpMessage: fc.option(fc.oneof(word, hostile)).map(help.helpMessage),
  unknownWordMessage: hostile.map((typed) => help.unknownWordMessage({ typed, suggestion: 'open' })),
  wrongArgumentsMessage: fc
    .record({ word, fault: hostile, typed: hostile })
    .map((each) => help.wrongArgumentsMessage(each)),
};
