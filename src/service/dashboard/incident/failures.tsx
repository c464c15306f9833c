import { plural } from '../../../incident/phrase.ts';
import { FailuresChart, timeOfDay } from '../../charts/failures-chart.tsx';
import { Region } from '../parts/region.tsx';
import { ChartTable } from '../parts/table.tsx';
import type { IncidentView } from './incident-view.ts';

/** How often it failed over time, as a chart and as a table. */
export function Failures({ view: { chart }, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const { counts, minutesPerBar, marks, from } = chart;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const title = minutesPerBar === 1 ? 'Failures a minute' : `Failures in ${plural(minutesPerBar, 'minute')}`;
  if (total === 0) {
    return (
      <Region id="incident-failures" title={title} isChanged={isChanged}>
        <p class="quiet">No failures are counted for this time.</p>
      </Region>
    );
  }
  const rows = counts.flatMap((count, index) =>
    count === 0
      ? []
      : [{ at: new Date(from.getTime() + index * minutesPerBar * 60_000), text: plural(count, 'failure') }],
  );
  const events = marks.map(({ at, label }) => ({ at, text: label }));
  return (
    <Region id="incident-failures" title={title} isChanged={isChanged}>
      <FailuresChart chart={chart} name={`${title}, as a chart`} size="wide" />
      <FailuresChart chart={chart} name={`${title}, as a chart`} size="narrow" />
      <ChartTable
        caption={`${plural(total, 'failure')}; other times had none`}
        columns={['Time (UTC)', 'What happened']}
      >
        {[...rows, ...events]
          .toSorted((one, other) => one.at.getTime() - other.at.getTime())
          .map(({ at, text }) => (
            <tr>
              <td>{timeOfDay(at)}</td>
              <td>{text}</td>
            </tr>
          ))}
      </ChartTable>
    </Region>
  );
}
