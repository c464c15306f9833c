import { type Actor, nameOf } from '../../contract/actor.ts';
import {
  type Change,
  type Correlation,
  type FailingCall,
  type Harm,
  MAX_IMPACT,
  type Severity,
} from '../../contract/resources.ts';
import { isWorse } from '../../incident/severity.ts';
import type { Evidence } from '../core/evidence.ts';
import type { CountedSignals } from '../core/incident.ts';
import type { TaughtRoot } from '../core/lesson.ts';
import type { PathStep } from '../core/telemetry-item.ts';
import { clip } from '../core/text.ts';
import type { EngineState } from '../engine/engine.ts';
import { isHarm, isSignificant } from '../engine/evidence.ts';
import { type Edge, neighboursAt } from '../engine/graph/call-graph.ts';
import type { Incident } from '../engine/grouping/incident.ts';
import { firstFailureOf } from '../engine/grouping/incident.ts';
import { isTaught, type LearntRoot, learntRoot, lessonAbout, taughtByRoots } from '../engine/grouping/taught.ts';
import { UNSURE_BELOW } from '../engine/ranking/weights.ts';
import { type FailedCalls, fateSentences, impactOf, reasonsFor } from '../engine/sentences/reasons.ts';
import type { StoredFacts } from '../store/incidents/incident-facts.ts';
import { MAX_SERVICES } from '../store/incidents/incident-writer.ts';
import { alertsOf, findHarm, titleOf } from './incident-title.ts';

/** Stored in every incident, so that readers know which method explained it. */
const METHOD = 'harm-and-blame/1';
const TITLE_LIMIT = 160;
const SENTENCE_LIMIT = 300;
const MAX_CANDIDATES = 5;
const MAX_CHANGES = 3;
/** Alerts that an incident names; its signals are all of them. */
const MAX_ALERTS = 20;

/** Facts and explanation of an incident, as they are stored. */
export interface Explanation {
  /** `payments: POST /charge fails (connection refused)` */
  readonly title: string;
  readonly severity: Severity;
  readonly rootService: string;
  readonly services: readonly string[];
  readonly signalCounts: CountedSignals;
  readonly impact: readonly FailingCall[];
  readonly correlation: Correlation;
  readonly changes: readonly Change[];
  /** What people teach by setting another root. */
  readonly teachableRoots: readonly TaughtRoot[];
}

/**
 * @param floodSender name of the sender whose failures the incident holds; null: it is one failure
 * @param calls between all services, see `usualCalls`
 * @param teachers by the ids of lessons
 */
export function explainIncident(
  incident: Incident,
  { graph, correlation: { lessons } }: EngineState,
  facts: StoredFacts,
  floodSender: string | null,
  calls: readonly Edge[],
  teachers: ReadonlyMap<string, Actor>,
): Explanation {
  const { root, members } = incident;
  const learnt = learntRoot(incident, lessons.values());
  const shownRoot = learnt?.root ?? root;
  const services = [...new Set([shownRoot, root, ...facts.signalsByService.keys()])].slice(0, MAX_SERVICES);
  const sentencesFor = (service: string) =>
    reasonsFor(service, members.values()).map(({ text }) => clip(text, SENTENCE_LIMIT));
  const sentences = sentencesFor(root);
  const fate = fateSentences(incident);
  const shared = fate === null ? [] : [clip(fate.reason, SENTENCE_LIMIT)];
  const foundReasons = [
    ...shared,
    ...sentences.slice(0, 1),
    ...describeLessons(incident, lessons),
    ...sentences.slice(1),
  ];
  const reasonsOf = (service: string) => (service === root ? foundReasons : sentencesFor(service));
  const because = learnt === null ? [] : [describeLearnt(learnt)];
  const reasons = [...because, ...reasonsOf(shownRoot)];
  const shares = sharesOf(incident, learnt);
  const harm = findHarm(incident);
  const alerts = alertsOf(incident);
  const path = harm?.lost?.path ?? [];
  return {
    title: clip(
      floodSender === null
        ? (fate?.headline ?? titleOf(incident, facts, sentences))
        : `many different failures reported by ${floodSender}`,
      TITLE_LIMIT,
    ),
    severity: severityOf(incident, facts),
    rootService: shownRoot,
    services,
    signalCounts: facts.signalCounts,
    impact: impactOf(members.values())
      .filter((call) => isOwnCall(call, root, path))
      .slice(0, MAX_IMPACT)
      .map(({ caller, callee, calls, failed }) => ({ from: caller, to: callee, calls, failed })),
    changes: changesOf(incident, facts),
    correlation: {
      method: METHOD,
      confidence: round(learnt?.confidence ?? incident.confidence),
      services: services.map((name) => ({
        name,
        signals: facts.signalsByService.get(name) ?? 0,
        is_root: name === shownRoot,
        score: round(shares.get(name) ?? 0),
      })),
      edges: edgesAmong(new Set(services), calls),
      window: {
        from: new Date(Math.min(incident.openedAt, facts.firstSeenAt.getTime())).toISOString(),
        to: new Date(Math.max(incident.lastAt, facts.lastSeenAt.getTime())).toISOString(),
      },
      evidence: [...reasons, ...(learnt === null ? describeDoubt(incident) : [])],
      ...(learnt !== null && { taught_root: presentLearnt(learnt, root, teachers) }),
      candidates: [...shares].slice(0, MAX_CANDIDATES).map(([service, share]) => ({
        service,
        score: round(share),
        reasons: service === shownRoot ? reasons : reasonsOf(service),
      })),
      harm: presentHarm(incident, harm),
      path: [...path],
      comparison: presentComparison(harm?.comparison),
      ...(alerts.length > 0 && { alerts: alerts.slice(0, MAX_ALERTS) }),
    },
    teachableRoots: taughtByRoots(incident, shownRoot, neighboursAt(graph, incident.lastAt)),
  };
}

/** Newest first. */
function changesOf({ members, openedAt }: Incident, { firstSeenAt }: StoredFacts): Change[] {
  const first = firstFailureOf(members.values());
  const failedAt = Math.min(openedAt, Number.isFinite(first) ? first : firstSeenAt.getTime());
  return [...members.values()]
    .flatMap(({ evidence }) => (evidence.family === 'change' ? [evidence] : []))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_CHANGES)
    .map(({ at, service, subject }) => ({
      at: new Date(at).toISOString(),
      service,
      version: subject === '' ? null : subject,
      failed_at: new Date(failedAt).toISOString(),
    }));
}

/** When the root began to lose requests; null: it is not known to lose any. */
export function failingSince(incident: Incident): Date | null {
  const { since } = findHarm(incident) ?? {};
  return since === undefined ? null : new Date(since);
}

/** All that it lost, and the rate at which its root loses requests now: a minute may hold some of before. */
function presentHarm({ activity, lost }: Incident, harm: Evidence | undefined): Harm | null {
  if (lost === null) {
    return null;
  }
  const { requests, total, failed, since } = lost;
  return {
    requests,
    total,
    failed,
    since: new Date(since).toISOString(),
    per_minute: activity === 'failing' ? Math.min(harm?.lost?.perMinute ?? 0, requests) : 0,
  };
}

function presentComparison(comparison: Evidence['comparison']): Correlation['comparison'] {
  if (comparison === undefined) {
    return null;
  }
  const { since, attributes, differences, ...counts } = comparison;
  return {
    ...counts,
    since: new Date(since).toISOString(),
    attributes: [...attributes],
    differences: differences.map(({ lostOf, goodOf, ...rest }) => ({ ...rest, lost_of: lostOf, good_of: goodOf })),
  };
}

/**
 * The severity of the signals, but at least `error` if requests were lost or come no more, as they or a metric tell, and at
 * most `warning` if neither that nor an alert is known.
 */
function severityOf({ members, blamedAt }: Incident, { severity }: StoredFacts): Severity {
  const all = [...members.values()];
  const isHarmful =
    (blamedAt !== null && all.some(({ evidence }) => isHarm(evidence))) ||
    all.some(({ evidence }) => evidence.family === 'requests_stopped' || isShareOfFailures(evidence));
  if (isHarmful) {
    return isWorse('error', severity) ? 'error' : severity;
  }
  const isAlerted = all.some(({ evidence }) => evidence.origin === 'alert');
  return !isAlerted && isWorse(severity, 'warning') ? 'warning' : severity;
}

function isShareOfFailures(evidence: Evidence): boolean {
  return evidence.family === 'failure_metric' && evidence.isShare === true && isSignificant(evidence);
}

/** Whether the root explains a failing call, because the call leads to it. */
function isOwnCall({ caller, callee }: FailedCalls, root: string, path: readonly PathStep[]): boolean {
  const services = path.map(({ service }) => service);
  return services.length < 2 || callee === root || services.indexOf(caller) === services.indexOf(callee) + 1;
}

/** It opened in spite of these lessons, because its evidence is clearly more than what they were about. */
function describeLessons({ members }: Incident, lessons: EngineState['correlation']['lessons']): string[] {
  const sentences = [...members.values()].flatMap(({ evidence }) => {
    const { beyond } = evidence;
    if (beyond !== undefined) {
      return [
        `more than the ${Math.round(100 * beyond.share)} % of requests that #${beyond.incident} taught to be no problem`,
      ];
    }
    const lesson = lessonAbout(lessons.values(), evidence);
    return lesson === undefined || isTaught(lessons, evidence)
      ? []
      : [`clearly more than what #${lesson.incident} taught to be no problem: ${evidence.subject}`];
  });
  return [...new Set(sentences)].slice(0, MAX_LESSONS_SHOWN).map((text) => clip(text, SENTENCE_LIMIT));
}

const MAX_LESSONS_SHOWN = 3;

function describeDoubt({ confidence, candidates, root }: Incident): string[] {
  const other = candidates.find(({ service }) => service !== root);
  return confidence < UNSURE_BELOW && other !== undefined ? [`unsure: ${other.service} may be the root too`] : [];
}

/** Share of each candidate in the score of all, best first. A taught root is first, and its share the confidence in it. */
function sharesOf({ candidates }: Incident, learnt: LearntRoot | null): ReadonlyMap<string, number> {
  const others = candidates.filter(({ service }) => service !== learnt?.root);
  const total = others.reduce((sum, { score }) => sum + score, 0);
  const rest = 1 - (learnt?.confidence ?? 0);
  const taught = learnt === null ? [] : [[learnt.root, learnt.confidence] as const];
  return new Map([...taught, ...others.map(({ service, score }) => [service, (rest * score) / total] as const)]);
}

/** `set by hand on 26 Nov 2026 in #12, where payments was found`. A name in a sentence could not be erased. */
function describeLearnt({ lesson: { at, incident, taught } }: LearntRoot): string {
  const day = new Date(at).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
  return clip(`set by hand on ${day} in #${incident}, where ${taught.found} was found`, SENTENCE_LIMIT);
}

function presentLearnt(
  { lesson: { id, at, incident } }: LearntRoot,
  found: string,
  teachers: ReadonlyMap<string, Actor>,
) {
  const teacher = teachers.get(id);
  const by = teacher === undefined ? null : nameOf(teacher);
  return { found, incident, at: new Date(at).toISOString(), by, by_id: teacher?.byId ?? null };
}

function edgesAmong(services: ReadonlySet<string>, all: readonly Edge[]): Correlation['edges'] {
  return all
    .filter(({ caller, callee }) => services.has(caller) && services.has(callee))
    .map(({ caller, callee, calls, failed }) => ({
      from: caller,
      to: callee,
      calls: Math.round(calls),
      errors: Math.round(failed),
    }));
}

/** Rounds to two decimals. */
function round(share: number): number {
  return Math.round(share * 100) / 100;
}
