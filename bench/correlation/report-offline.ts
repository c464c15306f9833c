import { BASELINES } from './baselines.ts';
import type { DataSet } from './data-set.ts';
import { rankCase } from './judged-case.ts';
import { judgeCases } from './offline.ts';
import { type OfflineScore, scoreOffline } from './score.ts';
import { percent, type Report, renderTable } from './table.ts';

const MAX_CANDIDATES = 20;

/** Ranks every case by the engine and by the baselines. */
export async function judgeAndScore(set: DataSet): Promise<Report> {
  const cases = await judgeCases(set);
  const labels = cases.map(({ label }) => label);
  const rankings = cases.map(rankCase);
  const engine = scoreOffline(
    labels,
    rankings.map(({ candidates }) => candidates.map(({ service }) => service)),
  );
  const baselines = Object.entries(BASELINES).map(([name, baseline]) => {
    const ranked = cases.map(({ label, evidence, graph }) =>
      baseline(evidence, graph).filter((service) => label.candidates?.includes(service) ?? true),
    );
    return row(name, scoreOffline(labels, ranked));
  });
  return {
    lines: rankings.map(({ candidates, confidence }, index) => ({
      case: labels[index]?.case,
      candidates: candidates.slice(0, MAX_CANDIDATES).map(({ service, score }) => ({ service, score })),
      confidence,
    })),
    table: renderTable([
      [`${labels.length} cases, told the window`, 'top-1 %', 'top-3 %', 'MRR'],
      row('engine', engine),
      ...baselines,
    ]),
  };
}

function row(name: string, { top1, top3, reciprocalRank }: OfflineScore): string[] {
  return [name, percent(top1), percent(top3), reciprocalRank.toFixed(2)];
}
