import type { Evidence } from '../../src/service/core/evidence.ts';
import type { Neighbours } from '../../src/service/engine/graph/call-graph.ts';
import { addEvidence, type EvidenceSums } from '../../src/service/engine/ranking/evidence-sums.ts';
import { type Ranking, rank } from '../../src/service/engine/ranking/rank.ts';
import type { Label } from './rows.ts';

/** What one case comes to before it is ranked: baselines rank the same. */
export interface JudgedCase {
  readonly label: Label;
  readonly evidence: readonly Evidence[];
  readonly graph: Neighbours;
}

/** Ranks all services, whatever the label says of them. */
export function rankAll({ evidence, graph }: Pick<JudgedCase, 'evidence' | 'graph'>): Ranking {
  const sums: EvidenceSums = new Map();
  for (const found of evidence) {
    addEvidence(sums, found);
  }
  return rank(sums, graph);
}

/** Ranks the services that the label admits. */
export function rankCase(judged: JudgedCase): Ranking {
  const ranking = rankAll(judged);
  const { candidates: allowed } = judged.label;
  if (allowed === undefined) {
    return ranking;
  }
  return { ...ranking, candidates: ranking.candidates.filter(({ service }) => allowed.includes(service)) };
}
