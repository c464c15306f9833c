import type { Evidence } from '../core/evidence.ts';
import type { KnownIncident } from '../core/known-incident.ts';
import type { Lesson, LessonDecision } from '../core/lesson.ts';
import type { TelemetryItem } from '../core/telemetry-item.ts';
import { endTests, forget as forgetRequests, teach as teachRequests } from './accounts/accounts.ts';
import { fitBudget, STATE_BYTES } from './budget.ts';
import { createEngineState, type EngineState } from './engine-state.ts';
import { addCalls, neighboursAt } from './graph/call-graph.ts';
import { COOLDOWN_MS } from './grouping/constants.ts';
import { correlate } from './grouping/correlate.ts';
import { type CorrelationEvent, type Placement, placementsOf } from './grouping/correlation-state.ts';
import { type Decision, decide, follow } from './grouping/decisions.ts';
import { removeIncident } from './grouping/incidents.ts';
import { markClosed, remember } from './grouping/past.ts';
import { takeAlerts as takeFoundAlerts } from './judging/alerts.ts';
import { isWaiting } from './judging/arrivals.ts';
import { observe as judge, type Step, step } from './judging/judge.ts';

export { createEngineState, type EngineState };

/** Takes one item of telemetry. `advance` returns the resulting events once the item's slot is over. */
export function observe(state: EngineState, item: TelemetryItem, sender: string | null = null): void {
  judge(state.judge, item, (service) => isQuiet(state, service), sender ?? '');
}

/** What was found in one slot, and the incidents that it was put into. */
export interface SlotFindings {
  readonly evidence: readonly Evidence[];
  readonly placements: readonly Placement[];
}

/**
 * Judges and correlates everything up to a time. Called at least every few seconds.
 *
 * @param onSlot called after each slot
 * @param budgetBytes what the state may take then, see `fitBudget`
 */
export function advance(
  state: EngineState,
  at: number,
  onSlot: (findings: SlotFindings) => void = () => undefined,
  budgetBytes: number = STATE_BYTES,
): CorrelationEvent[] {
  const { nextSlot } = state.judge;
  const events = step(
    state.judge,
    at,
    (service) => isQuiet(state, service),
    (judged) => {
      const events = correlateStep(state, judged);
      onSlot({ evidence: judged.evidence, placements: placementsOf(state.correlation, judged.evidence, events) });
      return events;
    },
  ).flat();
  if (state.judge.nextSlot !== nextSlot) {
    fitBudget(state, budgetBytes);
  }
  return events;
}

/** Takes out the alerts that were observed. They were judged by others, so they belong to no slot. */
export function takeAlerts({ judge: judging }: EngineState): Evidence[] {
  return takeFoundAlerts(judging);
}

/** Correlates alerts of `takeAlerts` at the time of their arrival: they may have begun long ago. */
export function correlateAlerts(
  state: EngineState,
  at: number,
  alerts: readonly Evidence[],
  onSlot: (findings: SlotFindings) => void = () => undefined,
): CorrelationEvent[] {
  if (alerts.length === 0) {
    return [];
  }
  const arrived = alerts.map((alert) => ({ ...alert, at, reportedAt: alert.at }));
  state.correlation.checkedAt = Number.NEGATIVE_INFINITY;
  const events = correlateEvidence(state, at, arrived);
  onSlot({ evidence: arrived, placements: placementsOf(state.correlation, arrived, events) });
  return events;
}

/** Whether `advance` changes nothing until something is observed. */
export function isIdle({
  judge: { arrivals, assembly, watches, found },
  correlation: { live, waiting },
}: EngineState): boolean {
  return (
    !isWaiting(arrivals) &&
    found.size === 0 &&
    waiting.size === 0 &&
    live.byNumber.size === 0 &&
    assembly.dueBySlot.size === 0 &&
    [...watches.values()].every(({ slots }) => slots.size === 0)
  );
}

function correlateStep({ graph, correlation }: EngineState, judged: Step): CorrelationEvent[] {
  for (const { sender, ...calls } of judged.calls) {
    addCalls(graph, sender, calls, judged.at);
  }
  return correlate(correlation, { ...judged, graph: neighboursAt(graph, judged.at) });
}

/** Correlates evidence that was judged elsewhere. */
export function correlateEvidence(state: EngineState, at: number, evidence: readonly Evidence[]): CorrelationEvent[] {
  const moment = { at, evidence, answers: new Map<string, number>(), graph: neighboursAt(state.graph, at) };
  return correlate(state.correlation, moment);
}

/** Follows an incident that was opened before the state was lost. */
export function resume({ correlation, graph }: EngineState, known: KnownIncident): void {
  follow(correlation, known, neighboursAt(graph, known.lastAt));
}

/**
 * Somebody closed an incident. If it still fails, its failure belongs to it for the cooldown; one that lasts longer opens another
 * incident. If it does not fail any more, only what happened before it was closed belongs to it, and the next failure opens another
 * incident at once: one that has passed the test by itself.
 */
export function close({ correlation, judge: { accounts } }: EngineState, number: number, at: number): void {
  const incident = correlation.live.byNumber.get(number);
  if (incident === undefined) {
    markClosed(correlation.past, number);
    return;
  }
  incident.closedAt = at;
  incident.cooldownMs = incident.activity === 'failing' ? COOLDOWN_MS : 0;
  if (incident.activity === 'failing') {
    return;
  }
  for (const { evidence } of incident.members.values()) {
    if (evidence.lost !== undefined) {
      endTests(accounts, { place: evidence.lost.lostAt ?? evidence.service, sender: evidence.sender });
    }
  }
}

/** Applies the decision of a person, who reopened an incident, merged two or split one, or taught something. */
export function obey(
  state: EngineState,
  decision: Decision | LessonDecision,
  onSlot: (findings: SlotFindings) => void = () => undefined,
): CorrelationEvent[] {
  if (decision.kind === 'teach') {
    for (const lesson of decision.lessons) {
      teach(state, lesson);
      if (lesson.taught.kind !== 'root') {
        release(state, decision.ordinal ?? lesson.incident, decision.at);
      }
    }
    return [];
  }
  if (decision.kind === 'forget') {
    forget(state, decision.ids);
    return [];
  }
  const events = decide(state.correlation, decision, neighboursAt(state.graph, decision.at));
  onSlot({ evidence: [], placements: placementsOf(state.correlation, [], events) });
  return events;
}

/** The same lesson twice is one. */
export function teach({ judge: { accounts }, correlation: { lessons } }: EngineState, lesson: Lesson): void {
  const { taught } = lesson;
  if (taught.kind === 'requests') {
    teachRequests(accounts, { ...lesson, taught });
  } else {
    lessons.delete(lesson.id);
    lessons.set(lesson.id, lesson);
  }
}

function forget({ judge: { accounts }, correlation: { lessons } }: EngineState, ids: readonly string[]): void {
  forgetRequests(accounts, new Set(ids));
  for (const id of ids) {
    lessons.delete(id);
  }
}

/** An incident that taught something absorbs nothing more, so that anything beyond its lesson opens the next at once. */
function release({ correlation }: EngineState, number: number, at: number): void {
  const incident = correlation.live.byNumber.get(number);
  if (incident !== undefined && incident.openAlerts.size === 0) {
    incident.closedAt = at;
    remember(correlation, incident);
    removeIncident(correlation.live, incident);
  }
}

/** Whether no failing incident reaches the service. */
function isQuiet({ correlation: { live } }: EngineState, service: string): boolean {
  return !(live.byService.get(service) ?? []).some(
    (number) =>
      live.byNumber.get(number)?.activity === 'failing' && live.reach.get(number)?.victims.has(service) === true,
  );
}
