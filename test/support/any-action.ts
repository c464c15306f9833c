import fc from 'fast-check';
import type { Action, ActionKind, IncidentActionKind, Outcome } from '../../src/bot/actions/action.ts';
import { Severity } from '../../src/contract/resources.ts';
import { KEPT_REASONS, NOW, note, STORM_ID } from './any-fields.ts';
import { anyIncident, hostile } from './any-incident.ts';

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
  steer: fc.record({ set: setByHand, people: fc.constant({}), before: setByHand }),
  unsteer: fc.record({ undoes: fc.constant(STORM_ID), set: setByHand, before: setByHand }),
  merge: fc.record({ into: hostile, reference: hostile }),
  split: fc.constant({}),
  declare: fc.record({ title: hostile, service: hostile, severity: anySeverity, note: fc.option(hostile) }),
  mute: fc.record({
    target: muteTarget,
    value: hostile,
    until: fc.constant(NOW),
    reason: fc.option(hostile),
    startsAt: fc.option(fc.constant(NOW)),
    every: fc.constantFrom(null, 'day' as const, 'week' as const),
    timeZone: fc.constant('UTC'),
    first: fc.constant(null),
  }),
  unmute: fc.record({ target: muteTarget, value: hostile, muteId: hostile }),
};
const KINDS = Object.keys(ACTION_DATA) as ActionKind[];
const isMute = (kind: ActionKind) => kind === 'mute' || kind === 'unmute';
const isOnNothing = (kind: ActionKind) => kind === 'mute' || kind === 'unmute' || kind === 'declare';

export function actionOf<Kind extends ActionKind>(kind: Kind): fc.Arbitrary<Action<Kind>> {
  return fc
    .record({ data: ACTION_DATA[kind] as fc.Arbitrary<object>, incidentId: hostile })
    .map(
      ({ data, incidentId }) =>
        ({ ...ASKED, kind, incidentId: isOnNothing(kind) ? null : incidentId, ...data }) as never,
    );
}

export const action: fc.Arbitrary<Action> = fc.constantFrom(...KINDS).chain((kind) => actionOf(kind));

const newer = fc.record({ kind: fc.constantFrom(...KINDS), at: fc.constant(NOW), by: fc.option(hostile) });
const anyEnd = fc.constantFrom('done' as const, 'already' as const);

export const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({ kind: anyEnd, action: actionOf<IncidentActionKind>('resolve'), incident: anyIncident }),
  ...KINDS.map((kind) =>
    fc.record({ kind: anyEnd, action: actionOf(kind), incident: isMute(kind) ? fc.constant(null) : anyIncident }),
  ),
  fc.record({ kind: fc.constant('void' as const), action, incident: fc.option(anyIncident), newer }),
  fc.record({
    kind: fc.constant('kept' as const),
    action,
    reason: fc.constantFrom(...KEPT_REASONS, 'planned' as const),
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
      fc.record({
        kind: fc.constant('not-assignable' as const),
        whom: fc.oneof(hostile, fc.constant('U0BEN00001')),
        why: fc.constantFrom('nobody' as const, 'guest' as const, 'bot' as const),
      }),
    ),
  }),
) as fc.Arbitrary<Outcome>;
