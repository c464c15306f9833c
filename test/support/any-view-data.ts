import fc from 'fast-check';
import type { mayNotAct } from '../../src/bot/actions/refusal-words.ts';
import type { Snapshot } from '../../src/bot/incident/snapshot.ts';
import { type ResolveForm, shortTaught } from '../../src/bot/rooms/act/resolve-modal.ts';
import { SHOWN_IN_HOME } from '../../src/bot/rooms/home/home-view.ts';
import { LIST_PAGE_SIZE, type ListPage } from '../../src/bot/rooms/lists/incident-list.ts';
import { ALL_SIGNALS } from '../../src/bot/rooms/signals/signal-filter.ts';
import type { SignalsPage } from '../../src/bot/rooms/signals/signals-modal.ts';
import type { StormSummary } from '../../src/bot/rooms/storm/storm.ts';
import { count, incident, NOW, note, STORM_ID, TRACE_URL } from './any-fields.ts';
import { anyIncident, anySignal, hostile, moment } from './any-incident.ts';

export const content = fc.record({
  incident,
  isGone: fc.boolean(),
  waiting: fc.array(
    hostile.map((user) => ({ name: 'resolution', user })),
    { maxLength: 9 },
  ),
  firstSignalCount: fc.constantFrom(null, 1),
  related: anyIncident.map((other) => [{ ...other, id: 'inc_2' }]),
  people: hostile.map((name) => [{ name, slackUserId: 'U0ANA' }]),
  traceUrl: fc.constantFrom(null, TRACE_URL),
});

export const page: fc.Arbitrary<ListPage> = fc
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

export const storm: fc.Arbitrary<StormSummary> = fc.record({
  id: fc.constant(STORM_ID),
  startedAt: fc.constant(NOW),
  calmAt: fc.constantFrom(null, NOW),
  endedAt: fc.constantFrom(null, NOW),
  groups: fc.array(
    fc.record({
      key: fc.record({
        by: fc.constantFrom('failure', 'service'),
        value: fc.oneof(hostile, fc.constant('s'.repeat(2_500))),
      }),
      incidents: count,
      open: count,
      unacknowledged: count,
      services: count,
      named: fc.array(incident, { minLength: 1, maxLength: 4 }),
    }),
    { maxLength: 30 },
  ),
});

export const form: fc.Arbitrary<ResolveForm> = fc.record({
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

export const context = { incidentId: 'inc_1', filter: ALL_SIGNALS, offset: 0 };
export const signalsPage: fc.Arbitrary<SignalsPage> = fc
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

export const correlation = fc.record({
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

type NotAllowed = Parameters<typeof mayNotAct>[0];

export const notAllowed: fc.Arbitrary<NotAllowed> = hostile.chain((group) =>
  fc.constantFrom<NotAllowed[]>(
    { kind: 'guest' },
    { kind: 'stranger' },
    { kind: 'bot' },
    { kind: 'unknown' },
    { kind: 'no-responder', groups: [group] },
    { kind: 'unverified', groups: [group] },
  ),
);

export const step = (kind: 'group' | 'channel' | 'members', id: string) =>
  ({ name: 'step 0', dueAt: NOW, step: { afterMinutes: 5, target: { kind, id } } }) as const;

export const reminder = fc.record({
  incident: anyIncident,
  reminder: fc.constantFrom(
    step('group', 'S1'),
    step('channel', 'C1'),
    step('members', 'S1'),
    { name: 'still failing', dueAt: NOW, newFailures: 12 } as const,
    { name: 'recovered', dueAt: NOW } as const,
  ),
  takenBy: fc.constantFrom(null, 'U1'),
  notified: fc.constantFrom(0, 1, 9),
  now: fc.constant(NOW),
});

export const membersOf = (incidents: readonly Snapshot[]) =>
  incidents.map((each) => ({ incident: each, isUnread: false, isWaiting: false }));

export const listed = fc.record({
  incidents: fc.uniqueArray(incident, { selector: ({ id }) => id, maxLength: SHOWN_IN_HOME }),
  total: fc.constantFrom(10, 400),
});
