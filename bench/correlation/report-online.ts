import type { DataSet } from './data-set.ts';
import { replay } from './online.ts';
import { judgeAndScore } from './report-offline.ts';
import { falseIncidents, matchFaults, sumOutcomes } from './score.ts';
import { type Report, renderTable } from './table.ts';

/** Replays the stream; the table of the told windows follows, for the baselines know no other. */
export async function replayAndScore(set: DataSet): Promise<Report> {
  const { incidents, from, to } = await replay(set);
  const score = sumOutcomes(matchFaults(set.labels, incidents));
  const hours = (to - from) / 3_600_000;
  const falsePerHour = falseIncidents(set.labels, incidents).length / hours;
  const offline = await judgeAndScore(set);
  const online = renderTable([
    [`${score.faults} faults in ${hours.toFixed(1)} h, nobody tells when`, ''],
    ['incident of its own', String(score.own)],
    ['root right at +1 min', String(score.right.afterOneMinute)],
    ['root right at +4 min', String(score.right.afterFourMinutes)],
    ['root right at the end', String(score.right.atTheEnd)],
    ['incidents', String(incidents.length)],
    ['incidents for each fault that opened any', score.incidentsPerFault.toFixed(2)],
    ['incidents outside faults, an hour', falsePerHour.toFixed(2)],
    ['fault to incident, median', `${score.medianSeconds.toFixed(0)} s`],
  ]);
  return { lines: incidents, table: `${online}\n\n${offline.table}` };
}
