import type { Change, Correlation, FailingCall, Severity, SignalCounts } from '../../contract/resources.ts';
import { clip } from '../core/text.ts';
import type { EngineState } from '../correlation/engine.ts';
import type { Incident } from '../correlation/grouping/incident.ts';
import { UNSURE_BELOW } from '../correlation/ranking/rank.ts';
import { impactOf, reasonsFor } from '../correlation/ranking/reasons.ts';
import type { StoredFacts } from '../store/incident-facts.ts';
import { MAX_SERVICES } from '../store/incident-writer.ts';

/** Stored in every incident, so that readers know which method explained it. */
const METHOD = 'ranked-evidence/1';
const TITLE_LIMIT = 120;
const SENTENCE_LIMIT = 300;
const MAX_CANDIDATES = 5;
const MAX_IMPACT = 5;
const MAX_CHANGES = 3;

/** What correlation knows of an incident, as it is stored. */
export interface Explanation {
  /** `payments: POST /charge fails (connection refused)` */
  readonly title: string;
  readonly severity: Severity;
  readonly rootService: string;
  readonly services: readonly string[];
  readonly signalCounts: SignalCounts;
  readonly impact: readonly FailingCall[];
  readonly correlation: Correlation;
  readonly changes: readonly Change[];
}

/** @param floodSender name of the sender whose failures the incident holds; null: it is one failure */
export function explainIncident(
  incident: Incident,
  { graph }: EngineState,
  facts: StoredFacts,
  floodSender: string | null,
): Explanation {
  const { root, members } = incident;
  const services = [...new Set([root, ...facts.signalsByService.keys()])].slice(0, MAX_SERVICES);
  const sentencesFor = (service: string) =>
    reasonsFor(service, members.values()).map(({ text }) => clip(text, SENTENCE_LIMIT));
  const sentences = sentencesFor(root);
  const shares = sharesOf(incident);
  return {
    title: clip(
      floodSender === null ? titleOf(root, facts, sentences) : `many different failures reported by ${floodSender}`,
      TITLE_LIMIT,
    ),
    severity: facts.severity,
    rootService: root,
    services,
    signalCounts: facts.signalCounts,
    impact: impactOf(members.values())
      .slice(0, MAX_IMPACT)
      .map(({ caller, callee, calls, failed }) => ({ from: caller, to: callee, calls, failed })),
    changes: changesOf(incident),
    correlation: {
      method: METHOD,
      confidence: round(incident.confidence),
      services: services.map((name) => ({
        name,
        signals: facts.signalsByService.get(name) ?? 0,
        is_root: name === root,
        score: round(shares.get(name) ?? 0),
      })),
      edges: edgesAmong(new Set(services), graph),
      window: {
        from: new Date(Math.min(incident.openedAt, facts.firstSeenAt.getTime())).toISOString(),
        to: new Date(Math.max(incident.lastAt, facts.lastSeenAt.getTime())).toISOString(),
      },
      evidence: [...sentences, ...describeDoubt(incident)],
      candidates: incident.candidates.slice(0, MAX_CANDIDATES).map(({ service }) => ({
        service,
        score: round(shares.get(service) ?? 0),
        reasons: service === root ? sentences : sentencesFor(service),
      })),
    },
  };
}

/** Newest first. */
function changesOf({ members }: Incident): Change[] {
  return [...members.values()]
    .flatMap(({ evidence }) => (evidence.family === 'change' ? [evidence] : []))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_CHANGES)
    .map(({ at, service, subject }) => ({
      at: new Date(at).toISOString(),
      service,
      version: subject === '' ? null : subject,
    }));
}

/** The root's own signal says best what failed. A service that sends nothing is known by its callers. */
function titleOf(root: string, { rootSummary }: StoredFacts, sentences: readonly string[]): string {
  return rootSummary === null ? (sentences[0] ?? `${root} fails`) : `${root}: ${rootSummary}`;
}

function describeDoubt({ confidence, candidates, root }: Incident): string[] {
  const other = candidates.find(({ service }) => service !== root);
  return confidence < UNSURE_BELOW && other !== undefined ? [`unsure: ${other.service} may be the root too`] : [];
}

/** Share of each candidate in the score of all. */
function sharesOf({ candidates }: Incident): ReadonlyMap<string, number> {
  const total = candidates.reduce((sum, { score }) => sum + score, 0);
  return new Map(candidates.map(({ service, score }) => [service, score / total]));
}

function edgesAmong(services: ReadonlySet<string>, { edges }: EngineState['graph']): Correlation['edges'] {
  return [...edges.values()]
    .filter(({ caller, callee }) => services.has(caller) && services.has(callee))
    .map(({ caller, callee, calls, failed }) => ({
      from: caller,
      to: callee,
      calls: Math.round(calls),
      errors: Math.round(failed),
    }));
}

/** Two decimals. */
function round(share: number): number {
  return Math.round(share * 100) / 100;
}
