import { plural } from '../../../incident/phrase.ts';
import { FailuresChart } from '../../charts/failures-chart.tsx';
import { PartSample } from '../../charts/part-fill.tsx';
import { WaterfallBar } from '../../charts/waterfall.tsx';
import { isCountedInRequests } from '../../core/incident.ts';
import { NavLink } from '../layout.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Region } from '../parts/region.tsx';
import { ChartTable } from '../parts/table.tsx';
import { Clock } from '../parts/time.tsx';
import { pageAddress } from '../query-fields.ts';
import type { ChartSpan } from './chart-of.ts';
import { type IncidentView, incidentUrl } from './incident-view.ts';

const SERVICES_SHOWN = 8;

/** How often it failed over time, as a chart and as a table. */
export function Failures({ view, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const { chart, incident, now } = view;
  const { counts, minutesPerBar, marks, from } = chart;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const isOfRequests = isCountedInRequests(incident);
  const one = isOfRequests ? 'lost request' : 'failure';
  const title = `${isOfRequests ? 'Lost requests' : 'Failures'} ${perBar(minutesPerBar)}`;
  const spans = <Spans view={view} />;
  if (total === 0) {
    return (
      <Region id="incident-failures" title={title} isChanged={isChanged}>
        {spans}
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
          ? 'Each request that failed, or took far too long, once.'
          : 'Each failed span, error line and alert once: one request can be several.'}
      </p>
      {spans}
      <FailuresChart chart={chart} name={`${title}, as a chart`} size="wide" />
      <FailuresChart chart={chart} name={`${title}, as a chart`} size="narrow" />
      <ChartTable
        caption={`${plural(total, one)} in this chart; its other times had none`}
        columns={['Time', 'What happened']}
      >
        {[...rows, ...events]
          .toSorted((one, other) => one.at.getTime() - other.at.getTime())
          .map(({ at, text }) => (
            <tr>
              <td>
                <Clock at={at} now={now} />
              </td>
              <td>
                <Foreign>{text}</Foreign>
              </td>
            </tr>
          ))}
      </ChartTable>
      {(view.stack !== null || view.failuresByService.length > 1) && (
        <details>
          <summary>The same by service</summary>
          <StackByService view={view} />
          <ByService view={view} />
        </details>
      )}
    </Region>
  );
}

const SPAN_WORDS: Readonly<Record<ChartSpan, string>> = { '30m': '30 minutes', '3h': '3 hours', '24h': '24 hours' };

/** The times that can be chosen, if the incident is longer than one of them. */
function Spans({ view: { incident, chartSpan: chosen, chartSpans } }: { view: IncidentView }) {
  const href = (span: ChartSpan | undefined) =>
    `${pageAddress(incidentUrl(incident), { chart: span })}#incident-failures`;
  const isWhole = chosen === undefined || !chartSpans.includes(chosen);
  return chartSpans.length === 0 ? null : (
    <nav aria-label="Time of the chart">
      <ul class="tabs">
        {chartSpans.map((span) => (
          <li>
            <NavLink href={href(span)} text={`Last ${SPAN_WORDS[span]}`} isCurrent={span === chosen} />
          </li>
        ))}
        <li>
          <NavLink href={href(undefined)} text="All" isCurrent={isWhole} />
        </li>
      </ul>
    </nav>
  );
}

/** Which services failed when, over the chosen time. */
function StackByService({ view: { stack } }: { view: IncidentView }) {
  if (stack === null) {
    return null;
  }
  const { chart, parts } = stack;
  const title = `Failures by service, ${perBar(chart.minutesPerBar)}`;
  return (
    <>
      <h3>{title}</h3>
      <FailuresChart chart={chart} name={`${title}, as a chart`} size="wide" />
      <FailuresChart chart={chart} name={`${title}, as a chart`} size="narrow" />
      <ul class="legend" aria-label="Services in the chart, from the bottom up">
        {parts.map(({ service, total, others }, part) => (
          <li>
            <PartSample part={part} />
            {service === null ? plural(others, 'other service') : <Foreign>{service}</Foreign>}
            <span class="quiet">{plural(total, 'failure')}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Who reports the failures. The counts are of failed spans, error lines and alerts, because a lost request belongs to several services. */
function ByService({ view: { failuresByService } }: { view: IncidentView }) {
  const shown = failuresByService.slice(0, SERVICES_SHOWN);
  const most = Math.max(1, ...shown.map(({ count }) => count));
  const hidden = failuresByService.length - shown.length;
  return (
    <>
      <h3>Failures by service, since it began</h3>
      <ul class="by-service">
        {shown.map(({ service, count }) => (
          <li>
            <Foreign>{service}</Foreign>
            <WaterfallBar bar={{ startMs: 0, durationMs: count }} wholeMs={most} />
            <span class="quiet">{plural(count, 'failure')}</span>
          </li>
        ))}
      </ul>
      {hidden > 0 && <p class="quiet small">{`and ${plural(hidden, 'more service')} with fewer`}</p>}
    </>
  );
}

function perBar(minutes: number): string {
  return minutes === 1 ? 'a minute' : `in ${plural(minutes, 'minute')}`;
}
