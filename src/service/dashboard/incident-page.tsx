import { type Incident, type IncidentRecord, signalCountOf, timelineOf } from '../core/incident.ts';
import type { StoredSignal } from '../core/signal.ts';
import type { DashboardSession } from './dashboard-env.ts';
import { countsInWords, State } from './incidents-page.tsx';
import { renderPage, Time } from './layout.tsx';

interface IncidentView {
  readonly session: DashboardSession;
  readonly incident: IncidentRecord;
  /** The newest signals; an incident may have more. */
  readonly signals: readonly StoredSignal[];
  /** Number of signals that are not deleted yet. */
  readonly kept: number;
  readonly now: Date;
}

export function renderIncidentPage({ session, incident, signals, kept, now }: IncidentView) {
  return renderPage(
    { title: `#${incident.number} ${incident.title}`, section: 'incidents', session },
    <>
      <Facts incident={incident} now={now} />
      {incident.closing !== null && (
        <section aria-labelledby="note">
          <h2 id="note">Resolution note</h2>
          <p class="note">{incident.closing.note}</p>
        </section>
      )}
      <Why incident={incident} />
      <Timeline incident={incident} now={now} />
      <Signals incident={incident} signals={signals} kept={kept} now={now} />
    </>,
  );
}

function Facts({ incident, now }: Pick<IncidentView, 'incident' | 'now'>) {
  return (
    <dl>
      <dt>State</dt>
      <dd>
        <State incident={incident} />
      </dd>
      <dt>Severity</dt>
      <dd>{incident.severity}</dd>
      <dt>Root service</dt>
      <dd>{incident.rootService}</dd>
      <dt>Signals</dt>
      <dd>{`${signalCountOf(incident)} (${countsInWords(incident.signalCounts)})`}</dd>
      <dt>Opened</dt>
      <dd>
        <Time at={incident.openedAt} now={now} />
      </dd>
      {incident.signalsEndedAt !== null && (
        <>
          <dt>All signals ended</dt>
          <dd>
            <Time at={incident.signalsEndedAt} now={now} />
          </dd>
        </>
      )}
      {incident.previousIncidentId !== null && (
        <>
          <dt>Previous incident</dt>
          <dd>
            <a href={`/dashboard/incidents/${incident.previousIncidentId}`}>
              the last closed incident of the same failure
            </a>
          </dd>
        </>
      )}
    </dl>
  );
}

function Why({ incident: { correlation } }: { incident: Incident }) {
  return (
    <section aria-labelledby="why">
      <h2 id="why">Why these signals belong together</h2>
      <ul>
        {correlation.evidence.map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
      <div class="scroll">
        <table>
          <caption>{`Services, method ${correlation.method}; confidence ${Math.round(correlation.confidence * 100)} %`}</caption>
          <thead>
            <tr>
              <th scope="col">Service</th>
              <th scope="col">Role</th>
              <th scope="col">Signals</th>
            </tr>
          </thead>
          <tbody>
            {correlation.services.map((service) => (
              <tr>
                <td>{service.name}</td>
                <td>{service.is_root ? 'root' : 'affected'}</td>
                <td class="count">{service.signals}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {correlation.edges.length > 0 && (
        <>
          <h3>Calls between them</h3>
          <ul>
            {correlation.edges.map(({ from, to, calls, errors }) => (
              <li>{`${from} to ${to}: ${calls} calls, ${errors} failed`}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Timeline({ incident, now }: Pick<IncidentView, 'incident' | 'now'>) {
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">What happened</h2>
      <ol>
        {timelineOf(incident).map(({ at, event, by }) => (
          <li>
            {by === undefined ? event : `${event} by ${by}`} <Time at={new Date(at)} now={now} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Signals({ incident, signals, kept, now }: Omit<IncidentView, 'session'>) {
  const removed = signalCountOf(incident) - kept;
  return (
    <section aria-labelledby="signals">
      <h2 id="signals">Signals</h2>
      <div class="scroll">
        <table>
          <caption>
            {signals.length < kept ? `The newest ${signals.length} of ${kept}` : 'All signals, newest first'}
            {removed > 0 && `; ${removed} older ones were deleted`}
          </caption>
          <thead>
            <tr>
              <th scope="col">Type</th>
              <th scope="col">Service</th>
              <th scope="col">Summary</th>
              <th scope="col">Severity</th>
              <th scope="col">Times seen</th>
              <th scope="col">Last seen</th>
            </tr>
          </thead>
          <tbody>
            {signals.map((signal) => (
              <tr>
                <td>{signal.type}</td>
                <td>{signal.service}</td>
                <td>{signal.summary}</td>
                <td>{signal.severity}</td>
                <td class="count">{signal.occurrences}</td>
                <td>
                  <Time at={signal.lastSeenAt} now={now} />
                  {signal.endedAt !== null && (
                    <div>
                      ended <Time at={signal.endedAt} now={now} />
                    </div>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
