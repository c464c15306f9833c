import { Sparkline } from '../../charts/sparkline.tsx';
import { presentFailureRate } from '../../core/failure-rate.ts';
import { type Incident, signalCountOf } from '../../core/incident.ts';
import { Activity, countsInWords, impactWords, plural, rootWords, State, stateKind } from '../parts/incident-words.tsx';
import { SeverityMark } from '../parts/severity.tsx';
import { Ago } from '../parts/time.tsx';

const NAMED_SERVICES = 5;

interface RowView {
  readonly incident: Incident;
  readonly now: Date;
}

export function rowId({ number }: Pick<Incident, 'number'>): string {
  return `incident-${number}`;
}

/** @param isChanged it replaces the row that the page shows */
export function IncidentRow({ incident, now, isChanged = false }: RowView & { isChanged?: boolean }) {
  const swap = isChanged ? { 'hx-swap-oob': 'outerMorph' } : {};
  const failures = presentFailureRate(incident, now).counts;
  const impact = impactWords(incident.impact);
  const others = incident.services.filter((name) => name !== incident.rootService);
  return (
    <li id={rowId(incident)} class={`incident is-${stateKind(incident)}`} {...swap}>
      <div class="what">
        <h2>
          <a data-row="" href={`/dashboard/incidents/${incident.number}`}>
            <span class="number">#{incident.number}</span> {incident.title}
          </a>
        </h2>
        <p class="line">
          <SeverityMark severity={incident.severity} />
          <State incident={incident} now={now} />
          <Activity incident={incident} now={now} />
        </p>
        {impact !== '' && <p class="impact">Impact: {impact}</p>}
        <p class="quiet">
          {`Root service ${rootWords(incident)} · ${signalWords(incident)} · opened `}
          <Ago at={incident.openedAt} now={now} />
          {others.length > 0 && ` · ${alsoAffects(others)}`}
        </p>
      </div>
      {failures.some((count) => count > 0) && <Rate failures={failures} />}
    </li>
  );
}

function Rate({ failures }: { failures: readonly number[] }) {
  const total = failures.reduce((sum, count) => sum + count, 0);
  return (
    <div class="rate">
      <Sparkline counts={failures} />
      <span class="quiet">{`${plural(total, 'failure')} in ${plural(failures.length, 'minute')}`}</span>
    </div>
  );
}

/** "14 signals (9 traces, 3 metrics, 2 logs)" */
export function signalWords(incident: Pick<Incident, 'signalCounts'>): string {
  return `${plural(signalCountOf(incident), 'signal')} (${countsInWords(incident.signalCounts)})`;
}

/** "Also affects web, checkout and 3 more" */
export function alsoAffects(others: readonly string[]): string {
  const rest = others.length - NAMED_SERVICES;
  return `Also affects ${others.slice(0, NAMED_SERVICES).join(', ')}${rest > 0 ? ` and ${rest.toLocaleString('en')} more` : ''}`;
}
