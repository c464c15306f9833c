import type { Child } from 'hono/jsx';
import type { Incident } from '../../core/incident.ts';
import type { StoredSignal } from '../../core/signal.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { IncidentRow, RowTitles } from '../incidents/incident-row.tsx';
import { incidentsUrl } from '../incidents/incidents-query.ts';
import { renderPage } from '../layout.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Region } from '../parts/region.tsx';
import { serviceUrl } from '../services/services-page.tsx';
import { SignalList } from '../signals/signal-list.tsx';

interface SearchView {
  /** Empty: nothing was asked. */
  readonly text: string;
  /** The newest that match. */
  readonly incidents: readonly Incident[];
  /** How many incidents match. */
  readonly total: number;
  readonly isTotalLowerBound: boolean;
  readonly services: readonly string[];
  readonly signals: readonly StoredSignal[];
  readonly session: DashboardSession;
  readonly now: Date;
}

export function renderSearchPage({
  text,
  incidents,
  total,
  isTotalLowerBound,
  services,
  signals,
  session,
  now,
}: SearchView) {
  const title = text === '' ? 'Search' : `Search: ${text}`;
  const isEmpty = incidents.length + services.length + signals.length === 0;
  return renderPage(
    { title, section: null, session, now },
    <>
      {isEmpty && (
        <p class="empty">
          {text === ''
            ? 'Type part of a title, a service, a message, or the number of an incident.'
            : 'No incident, service or signal has this text.'}
        </p>
      )}
      <Found id="found-services" title="Services" count={services.length}>
        <ul class="services">
          {services.map((name) => (
            <li>
              <a data-row="" href={serviceUrl(name)}>
                <Foreign>{name}</Foreign>
              </a>
            </li>
          ))}
        </ul>
      </Found>
      <Found id="found-incidents" title="Incidents" count={incidents.length}>
        <RowTitles />
        <ol class="incidents">
          {incidents.map((incident) => (
            <IncidentRow incident={incident} now={now} mayAct={false} />
          ))}
        </ol>
        {total > incidents.length && (
          <p>
            <a
              href={incidentsUrl({ status: 'all', q: text })}
            >{`All ${total.toLocaleString('en')}${isTotalLowerBound ? ' or more' : ''} incidents`}</a>
          </p>
        )}
      </Found>
      <Found id="found-signals" title="Signals" count={signals.length}>
        <SignalList signals={signals} traceUrl={() => null} now={now} />
        <p>
          <a href={`/dashboard/signals?${new URLSearchParams({ q: text, within: 'all' }).toString()}`}>
            All signals with this text
          </a>
        </p>
      </Found>
    </>,
  );
}

function Found({ id, title, count, children }: { id: string; title: string; count: number; children?: Child }) {
  return count === 0 ? null : (
    <Region id={id} title={title} isChanged={false}>
      {children}
    </Region>
  );
}
