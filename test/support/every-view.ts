import type { KnownBlock, ModalView } from '@slack/types';
import fc from 'fast-check';
import { declareModal } from '../../src/bot/declare/declare-modal.ts';
import type { Action } from '../../src/bot/domain/action.ts';
import { COMMAND_WORDS } from '../../src/bot/domain/commands.ts';
import type { SlackMessage } from '../../src/bot/domain/slack-message.ts';
import type { Snapshot } from '../../src/bot/domain/snapshot.ts';
import { handoverMessage } from '../../src/bot/handover/handover-view.ts';
import { homeForOthers, homeTab } from '../../src/bot/home/home-view.ts';
import { detailsModal, incidentDetails } from '../../src/bot/lists/incident-details.ts';
import { closedList, incidentList } from '../../src/bot/lists/incident-list.ts';
import { noteModal } from '../../src/bot/note/note-modal.ts';
import { alertMessage, reminderMessage } from '../../src/bot/reminders/reminder-view.ts';
import { stormAlertMessage, stormReminderMessage } from '../../src/bot/reminders/storm-reminder-view.ts';
import { rulesDeleted, unsubscribeQuestion } from '../../src/bot/rules/rule-answers.ts';
import { isTooLong, ruleCheck } from '../../src/bot/rules/rule-check.ts';
import { ruleForm } from '../../src/bot/rules/rule-form.ts';
import { rulesMessage } from '../../src/bot/rules/rule-words.ts';
import { dashboardLink, noDashboard, plainDashboardLink } from '../../src/bot/sign-in/dashboard-link-view.ts';
import { causesMessage, causesModal } from '../../src/bot/signals/causes-modal.ts';
import { signalMessage, signalModal } from '../../src/bot/signals/signal-modal.ts';
import { signalsMessage, signalsModal } from '../../src/bot/signals/signals-modal.ts';
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
import { resolveModal } from '../../src/bot/views/resolve-modal.ts';
import { snoozeQuestion } from '../../src/bot/views/snooze.ts';
import { nothingOpen, unknownButOpen, whichIncident } from '../../src/bot/views/which-incident.ts';
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

export type View = SlackMessage | ModalView | { readonly type: 'home'; readonly blocks: KnownBlock[] };

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
    .map(([incidents, settled]) => {
      const notice = settled === null ? null : outcomeAnswers.outcomeAnswer(settled);
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
