import { plural } from '../../../incident/phrase.ts';
import { FailuresChart, timeOfDay } from '../../charts/failures-chart.tsx';
import { isCountedInRequests } from '../../core/incident.ts';
import { Region } from '../parts/region.tsx';
import { ChartTable } from '../parts/table.tsx';
import type { IncidentView } from './incident-view.ts';

/** How often it failed over time, as a chart and as a table. */
export function Failures({ view: { chart, incident }, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const { counts, minutesPerBar, marks, from } = chart;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const isOfRequests = isCountedInRequests(incident);
  const one = isOfRequests ? 'lost request' : 'failing signal';
  const title = `${isOfRequests ? 'Lost requests' : 'Failing signals'} ${perBar(minutesPerBar)}`;
  if (total === 0) {
    return (
      <Region id="incident-failures" title={title} isChanged={isChanged}>
        <p class="quiet">No failures are counted for this time.</p>
      </Region>
    );
  }
  const rows = counts.flatMap((count, index) =>
    count === 0 ? [] : [{ at: new Date(from.getTime() + index * minutesPerBar * 60_000), text: plural(count, one) }],
  );
  const events = marks.map(({ at, label }) => ({ at, text: label }));
  return (
    <Region id="incident-failures" title={title} isChanged={isChanged}>
      <p class="quiet small">
        {isOfRequests
          ? 'Requests that failed or took much longer than usual, each once.'
          : 'Failed spans, error lines and alerts: one request can be several.'}
      </p>
      <FailuresChart chart={chart} name={`${title}, as a chart`} size="wide" />
      <FailuresChart chart={chart} name={`${title}, as a chart`} size="narrow" />
      <ChartTable caption={`${plural(total, one)}; other times had none`} columns={['Time (UTC)', 'What happened']}>
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

function perBar(minutes: number): string {
  return minutes === 1 ? 'a minute' : `in ${plural(minutes, 'minute')}`;
}
