import { type IncidentStatus, SIGNAL_TYPES, type SignalCounts } from '../../contract/resources.ts';
import { type Incident, signalCountOf } from '../core/incident.ts';
import type { Page } from '../store/page.ts';
import type { DashboardSession } from './dashboard-env.ts';
import { NavLink, renderPage, Time } from './layout.tsx';

interface IncidentsView {
  readonly session: DashboardSession;
  readonly status: IncidentStatus;
  readonly page: Page<Incident>;
  readonly offset: number;
  readonly pageSize: number;
  readonly now: Date;
  readonly publicUrl: string;
}

export function renderIncidentsPage(view: IncidentsView) {
  const { status, page } = view;
  return renderPage(
    { title: status === 'open' ? 'Open incidents' : 'Closed incidents', section: 'incidents', session: view.session },
    <>
      <nav aria-label="Which incidents">
        <ul class="tabs">
          <li>
            <NavLink href="/dashboard/incidents?status=open" text="Open" isCurrent={status === 'open'} />
          </li>
          <li>
            <NavLink href="/dashboard/incidents?status=closed" text="Closed" isCurrent={status === 'closed'} />
          </li>
        </ul>
      </nav>
      {page.items.length === 0 ? <Nothing {...view} /> : <IncidentTable {...view} />}
      <Pager {...view} />
    </>,
  );
}

function IncidentTable({ page, offset, now }: IncidentsView) {
  return (
    <div class="scroll">
      <table>
        <caption>{`${offset + 1} to ${offset + page.items.length} of ${page.total}, newest first`}</caption>
        <thead>
          <tr>
            <th scope="col">Incident</th>
            <th scope="col">Root service</th>
            <th scope="col">Signals</th>
            <th scope="col">Opened</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {page.items.map((incident) => (
            <tr>
              <td>
                <a href={`/dashboard/incidents/${incident.number}`}>{`#${incident.number} ${incident.title}`}</a>
                <div class="quiet">{incident.severity}</div>
              </td>
              <td>{incident.rootService}</td>
              <td class="count">
                {signalCountOf(incident)}
                <div class="quiet">{countsInWords(incident.signalCounts)}</div>
              </td>
              <td>
                <Time at={incident.openedAt} now={now} />
              </td>
              <td>
                <State incident={incident} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function State({ incident: { closing, acknowledgement } }: { incident: Incident }) {
  if (closing !== null) {
    return <span class="calm">{closing.by === null ? 'Closed' : `Closed by ${closing.by}`}</span>;
  }
  return acknowledgement === null ? (
    <span class="alarm">Open, not acknowledged</span>
  ) : (
    <span>{`Open, acknowledged by ${acknowledgement.by}`}</span>
  );
}

export function countsInWords(counts: SignalCounts): string {
  return SIGNAL_TYPES.filter((type) => counts[type] > 0)
    .map((type) => `${counts[type]} ${type}${counts[type] === 1 ? '' : 's'}`)
    .join(', ');
}

function Nothing({ status, offset, publicUrl }: IncidentsView) {
  if (offset > 0) {
    return <p>There are no more incidents.</p>;
  }
  if (status === 'closed') {
    return <p>No incident has been closed yet.</p>;
  }
  return (
    <>
      <p>
        <span class="calm">No incident is open.</span> Incidents open automatically when services report failures.
      </p>
      <section class="box" aria-labelledby="send">
        <h2 id="send">How to send signals</h2>
        <p>
          Set these variables for the OpenTelemetry SDK of each service, with an ingest key from{' '}
          <a href="/dashboard/settings/api-keys">Settings: API keys</a>:
        </p>
        <pre>
          <code>{`OTEL_EXPORTER_OTLP_ENDPOINT=${publicUrl}\nOTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf\nOTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20<ingest key>"`}</code>
        </pre>
        <p>
          Header values are URL-encoded: write the space as <code>%20</code>, because older SDKs refuse a plain space. A
          header without a space works too: <code>{'x-api-key=<ingest key>'}</code>.
        </p>
      </section>
    </>
  );
}

function Pager({ status, page, offset, pageSize }: IncidentsView) {
  const href = (to: number) => `/dashboard/incidents?status=${status}&offset=${to}`;
  const hasNewer = offset > 0;
  const hasOlder = offset + page.items.length < page.total;
  if (!hasNewer && !hasOlder) {
    return null;
  }
  return (
    <nav aria-label="Pages">
      <ul class="pages">
        {hasNewer && (
          <li>
            <a href={href(Math.max(0, offset - pageSize))}>Newer</a>
          </li>
        )}
        {hasOlder && (
          <li>
            <a href={href(offset + pageSize)}>Older</a>
          </li>
        )}
      </ul>
    </nav>
  );
}
