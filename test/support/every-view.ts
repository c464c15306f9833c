import type { KnownBlock, ModalView } from '@slack/types';
import fc from 'fast-check';
import type { Action } from '../../src/bot/actions/action.ts';
import { alreadyClosed, closedAlready, withButton } from '../../src/bot/actions/outcome-answers.ts';
import { mayNotAct } from '../../src/bot/actions/refusal-words.ts';
import { answer } from '../../src/bot/blocks/answer.ts';
import { inline } from '../../src/bot/blocks/mrkdwn.ts';
import { readingModal } from '../../src/bot/blocks/reading-modal.ts';
import { WORDS } from '../../src/bot/features.ts';
import type { Snapshot } from '../../src/bot/incident/snapshot.ts';
import * as answers from '../../src/bot/listeners/answers.ts';
import { nothingOpen, unknownButOpen, whichIncident } from '../../src/bot/listeners/which-incident.ts';
import { healthMessage } from '../../src/bot/monitoring/health-view.ts';
import { resolveModal } from '../../src/bot/rooms/act/resolve-modal.ts';
import { incidentCard } from '../../src/bot/rooms/card/incident-card.ts';
import { declareModal } from '../../src/bot/rooms/declare/declare-modal.ts';
import { handoverMessage } from '../../src/bot/rooms/handover/handover-view.ts';
import * as help from '../../src/bot/rooms/help/help.ts';
import { homeForOthers, homeTab } from '../../src/bot/rooms/home/home-view.ts';
import { detailsModal, incidentDetails } from '../../src/bot/rooms/lists/incident-details.ts';
import { closedList, incidentList } from '../../src/bot/rooms/lists/incident-list.ts';
import { noteModal } from '../../src/bot/rooms/note/note-modal.ts';
import {
  drilled,
  noSchedules,
  noTurns,
  notOffered,
  onCallHome,
  onCallMessage,
  takenMessage,
  wayAdded,
  whichPolicy,
  whichSchedule,
  whoIsWoken,
} from '../../src/bot/rooms/on-call/oncall-view.ts';
import { swapMessage, swapModal } from '../../src/bot/rooms/on-call/swap-view.ts';
import { readMessage } from '../../src/bot/rooms/read/read-words.ts';
import { mergeModal } from '../../src/bot/rooms/regroup/merge-modal.ts';
import { alertMessage, reminderMessage } from '../../src/bot/rooms/reminders/reminder-view.ts';
import { stormAlertMessage, stormReminderMessage } from '../../src/bot/rooms/reminders/storm-reminder-view.ts';
import { noRoomWithout, roomAnswer, whichPrivate } from '../../src/bot/rooms/room/room-words.ts';
import { rulesDeleted, unsubscribeQuestion } from '../../src/bot/rooms/rules/rule-answers.ts';
import { isTooLong, ruleCheck } from '../../src/bot/rooms/rules/rule-check.ts';
import { ruleForm } from '../../src/bot/rooms/rules/rule-form.ts';
import { rulesMessage } from '../../src/bot/rooms/rules/rule-words.ts';
import { dashboardLink, noDashboard, plainDashboardLink } from '../../src/bot/rooms/sign-in/dashboard-link-view.ts';
import { causesMessage, causesModal } from '../../src/bot/rooms/signals/causes-modal.ts';
import { signalMessage, signalModal } from '../../src/bot/rooms/signals/signal-modal.ts';
import { signalsMessage, signalsModal } from '../../src/bot/rooms/signals/signals-modal.ts';
import { muteModal } from '../../src/bot/rooms/snooze/mute-modal.ts';
import { snoozeQuestion } from '../../src/bot/rooms/snooze/snooze-view.ts';
import { incidentStats } from '../../src/bot/rooms/stats/stats.ts';
import { noneOf, statsMessage, unknownService } from '../../src/bot/rooms/stats/stats-view.ts';
import { steerModal } from '../../src/bot/rooms/steer/steer-modal.ts';
import { ofKey, stormCard, stormReceipt, withStormUndo } from '../../src/bot/rooms/storm/storm-card.ts';
import { STORM_PAGE_SIZE, stormList } from '../../src/bot/rooms/storm/storm-list.ts';
import { wakeMessage } from '../../src/bot/rooms/wake/wake-view.ts';
import type { SlackMessage } from '../../src/bot/slack/slack-message.ts';
import { action, actionOf, outcome } from './any-action.ts';
import { count, incident, KEPT_REASONS, NOW, note, STORM_ID, TRACE_URL } from './any-fields.ts';
import { anyIncident, anySignal, hostile } from './any-incident.ts';
import { choices, mute, noise, rule, ruleContext, ruleFilter, ruleSettings } from './any-rule.ts';
import {
  content,
  context,
  correlation,
  form,
  listed,
  membersOf,
  notAllowed,
  page,
  reminder,
  signalsPage,
  step,
  storm,
} from './any-view-data.ts';
import { ANSWERS } from './outcome-answers.ts';

export type View = SlackMessage | ModalView | { readonly type: 'home'; readonly blocks: KnownBlock[] };

/** A Home tab has no text. */
const home = ({ blocks }: SlackMessage): View => ({ type: 'home', blocks });

const word = fc.constantFrom(...Object.keys(WORDS));
const once = (...views: View[]): fc.Arbitrary<View> => fc.constantFrom(...views);

const onCallPerson = fc.option(hostile.map((name) => ({ id: 'person_1', name })));
const schedule = fc
  .record({ name: hostile, on_call: onCallPerson, person: onCallPerson, hasNext: fc.boolean() })
  .map(({ name, on_call, person, hasNext }) => ({
    id: 'sched_1',
    name,
    time_zone: 'Europe/Berlin',
    layers: [],
    overrides: [],
    on_call,
    next: hasNext ? { from: NOW.toISOString(), person } : null,
    created_at: NOW.toISOString(),
    deleted_at: null,
  }));

const onCallBlocks = fc
  .record({
    schedules: fc.array(schedule, { maxLength: 30 }),
    names: fc.array(hostile, { maxLength: 30 }),
    isMine: fc.boolean(),
  })
  .map(({ schedules, names, isMine }) =>
    onCallHome({
      schedules,
      mine: isMine ? { schedule: 'Payments', from: NOW.toISOString(), to: NOW.toISOString(), person: null } : null,
      live: names.map((name) => ({ text: inline(name, 80), answer: 'page_1 attempt_1' })),
    }),
  );
const wokenPerson = hostile.map((name) => ({
  id: 'person_1',
  name,
  because: `on call in ${name}`,
  ways: [{ kind: 'slack', after_s: 0, last_answered_at: null }],
}));
const wokenStep = fc.record({
  after_s: fc.constantFrom(0, 300),
  people: fc.array(wokenPerson, { maxLength: 20 }),
  channels: fc.nat(3),
  skipped: fc.array(hostile, { maxLength: 20 }),
});
const woken = fc.record({
  service: hostile,
  policy: fc.option(hostile.map((name) => ({ id: 'policy_1', name }))),
  steps: fc.array(wokenStep, { maxLength: 10 }),
});
const swapState = fc.constantFrom('asked', 'taken', 'declined', 'withdrawn', 'expired');

/** Every function in `src/bot` that makes a message, modal or Home tab, with what it makes of any incident. */
export const EVERY_VIEW: Readonly<Record<string, fc.Arbitrary<View>>> = {
  incidentCard: content.map((each) => incidentCard(each, NOW)),
  incidentDetails: content.map((each) => incidentDetails(each)),
  detailsModal: content.map((each) => detailsModal(incidentDetails(each))),
  incidentList: page.map(incidentList),
  closedList: page.map(closedList),
  stormCard: storm.map((each) => stormCard(each, NOW)),
  withStormUndo: hostile.map((value) => {
    const ends = { done: ['inc_1'], already: [], kept: [], refused: [] };
    const receipt = stormReceipt('acknowledged', ofKey({ by: 'service', value }), ends, new Map());
    return withStormUndo(receipt, STORM_ID, '1.2.3');
  }),
  stormList: fc
    .tuple(fc.uniqueArray(incident, { selector: ({ id }) => id, maxLength: STORM_PAGE_SIZE }), fc.option(outcome))
    .map(([incidents, settled]) => {
      const notice = settled === null ? null : ANSWERS.outcomeAnswer(settled);
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
  mergeModal: fc
    .uniqueArray(incident, { selector: ({ id }) => id, minLength: 1, maxLength: 120 })
    .map(([first, ...others]) => mergeModal({ incident: first as Snapshot, others, channelId: 'C1' })),
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
        notified,
      },
    ]) => {
      const worst = incidents[0] as Snapshot; // there is at least one
      const next = { ...step('members', 'S1'), dueAt, worst };
      return stormReminderMessage({
        stormId: STORM_ID,
        members: membersOf(incidents),
        reminder: next,
        notified,
        now: NOW,
      });
    },
  ),
  stormAlertMessage: anyIncident.map((worst) =>
    stormAlertMessage({ stormId: STORM_ID, members: membersOf([worst]), worst, now: NOW }),
  ),
  onCallMessage: fc
    .array(schedule, { minLength: 1, maxLength: 30 })
    .map((schedules) => onCallMessage(schedules, 'person_1')),
  takenMessage: schedule.map((each) => takenMessage(each, NOW)),
  whichSchedule: fc
    .tuple(hostile, fc.option(hostile), fc.array(hostile, { maxLength: 30 }))
    .map(([typed, meant, names]) => whichSchedule(typed, meant, names)),
  noSchedules: once(noSchedules()),
  noTurns: once(noTurns()),
  wayAdded: once(wayAdded()),
  drilled: hostile.map(drilled),
  whichPolicy: fc.array(hostile, { maxLength: 30 }).map(whichPolicy),
  whoIsWoken: woken.map(whoIsWoken),
  swapMessage: fc
    .record({
      schedule: hostile,
      state: swapState,
      taker: fc.constantFrom(null, 'U0ANA'),
      undoUntil: fc.constant('2999-01-01T00:00:00Z'),
    })
    .map((each) =>
      swapMessage(
        'swap_1',
        {
          ...each,
          scheduleId: 'sched_1',
          isForAnybody: false,
          from: NOW.toISOString(),
          to: NOW.toISOString(),
          asker: 'U0BEN',
        },
        'U0ANA',
        NOW,
      ),
    ),
  swapModal: fc.array(hostile, { minLength: 1, maxLength: 120 }).map((names) =>
    swapModal(
      names.map((name) => ({
        schedule: name,
        scheduleId: 's'.repeat(32),
        from: NOW.toISOString(),
        to: NOW.toISOString(),
      })),
      'Europe/Berlin',
    ),
  ),
  wakeMessage: fc
    .record({
      title: hostile,
      lines: fc.array(hostile, { maxLength: 9 }),
      card: fc.option(content),
      others: fc.array(anyIncident, { maxLength: 9 }),
      over: fc.constantFrom(null, 'Taken by <@U0ANA>'),
    })
    .map((each) => wakeMessage({ ...each, answer: 'page_1 attempt_1' })),
  notOffered: once(notOffered()),
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
      onCall: onCallBlocks,
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
  noRoomWithout: once(noRoomWithout()),
  readMessage: fc
    .record({
      names: fc.array(hostile, { maxLength: 12 }),
      read: fc.array(hostile, { maxLength: 12 }),
      last: hostile,
      publicUrl: fc.constantFrom(null, 'https://tocsin.example.com'),
    })
    .map(({ names, read, last, publicUrl }) => {
      const ids = { id: 'r', channelId: 'C1', integrationId: 'int_1', createdBy: 'U1', createdAt: NOW };
      const readings = read.map((botName, at) => ({ ...ids, botId: `B${at}`, botName }));
      const tools = names.map((botName, at) => ({ botId: `B9${at}`, botName, count: at + 1, last }));
      return readMessage({ readings, tools, lookedAt: 100 }, publicUrl);
    }),
  roomAnswer: fc
    .tuple(
      incident,
      fc.option(
        fc.oneof(
          fc.record({ channelId: fc.constant('C0ROOM'), name: hostile, isPrivate: fc.boolean() }),
          fc.record({ error: hostile, needed: fc.option(hostile) }),
        ),
      ),
      fc.boolean(),
    )
    .map((known) => roomAnswer(...known)),
  whichPrivate: fc.array(incident, { minLength: 1, maxLength: 20 }).map(whichPrivate),
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
      word: fc.constantFrom('ack' as const, 'resolve' as const, 'room' as const, 'export' as const),
      service: fc.option(hostile),
      incidents: fc.uniqueArray(incident, { selector: ({ id }) => id, minLength: 1, maxLength: 20 }),
    })
    .map(({ word: asked, ...which }) => whichIncident(asked, which)),
  unknownButOpen: fc
    .tuple(hostile, fc.array(incident, { minLength: 1, maxLength: 20 }))
    .map(([typed, open]) => unknownButOpen('export', typed, open)),
  nothingOpen: once(nothingOpen('ack'), nothingOpen('resolve')),
  snoozeQuestion: incident.map(snoozeQuestion),
  answer: note.map((each) => answer('A sentence.', each)),
  outcomeAnswer: outcome.map((each) => ANSWERS.outcomeAnswer(each)),
  cancellationAnswer: action.chain((each) =>
    once(
      ...(['being-sent', 'settled', 'unknown'] as const).map((kind) => ANSWERS.cancellationAnswer({ kind })),
      ANSWERS.cancellationAnswer({ kind: 'cancelled', action: each }),
    ),
  ),
  incidentNotFound: hostile.map(answers.incidentNotFound),
  serviceFailing: once(...KEPT_REASONS.map(answers.serviceFailing)),
  tooManyRoles: once(answers.tooManyRoles()),
  outdatedControl: once(answers.outdatedControl()),
  unknownCommand: hostile.map(answers.unknownCommand),
  somethingBroke: once(answers.somethingBroke()),
  notOpened: hostile.chain((error) =>
    once(...['refused-token', 'refused'].map((kind) => answers.notOpened('list', { kind, error }))),
  ),
  mayNotAct: notAllowed.map(mayNotAct),
  notSaved: note.map(answers.notSaved),
  commandNotSaved: note.map((text) => answers.commandNotSaved('declaration', text)),
  actionKept: action.map((each) => ANSWERS.actionKept(each)),
  alreadyClosed: fc.tuple(anyIncident, note).map(([each, typed]) => alreadyClosed(each, typed)),
  withButton: fc
    .tuple(anyIncident, action)
    .map(([each, asked]) =>
      withButton(answer('A sentence.'), { label: 'Undo', actionId: 'action_undo', incident: each, action: asked }),
    ),
  closedAlready: anyIncident.map(closedAlready),
  healthMessage: hostile.map((problem) =>
    healthMessage({
      counters: { lag: { p50Ms: 20, p95Ms: 120_000, changes: 9 }, cardsShown: 9, limits: 2, repairs: 0 },
      waiting: { person: 1, opened: 2, state: 3, count: 4, reply: 5, withheld: 6 },
      oldestSince: NOW,
      keptActions: 3,
      problems: [problem],
      senders: [{ name: problem, reason: problem, at: NOW.toISOString() }],
      lastLimit: { call: null, placeId: 'C1', reason: problem, failures: 1, since: NOW, until: NOW },
      service: { isAnswering: false, answeredAt: NOW, isFollowed: true },
      now: NOW,
    }),
  ),
  helpMessage: fc.option(fc.oneof(word, hostile)).map((typed) => help.helpMessage(WORDS, typed)),
  unknownWordMessage: hostile.map((typed) => help.unknownWordMessage({ typed, suggestion: 'open' }, WORDS)),
  wrongArgumentsMessage: fc
    .record({ word, fault: hostile, typed: hostile })
    .map((each) => help.wrongArgumentsMessage(each, WORDS)),
};
