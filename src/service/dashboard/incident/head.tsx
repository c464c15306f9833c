import { alsoAffects, signalWords } from '../incidents/incident-row.tsx';
import { Activity, impactWords, rootWords, State } from '../parts/incident-words.tsx';
import { swapIf } from '../parts/region.tsx';
import { SeverityMark } from '../parts/severity.tsx';
import { Moment } from '../parts/time.tsx';
import { type IncidentView, incidentUrl } from './incident-view.ts';

/** What fails, how much, and whether it still does. */
export function Head({ view: { incident, now, related }, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const impact = impactWords(incident.impact);
  const others = incident.services.filter((name) => name !== incident.rootService);
  const into = incident.mergedInto === null ? undefined : related.get(incident.mergedInto);
  return (
    <div id="incident-head" class="incident-head" {...swapIf(isChanged)}>
      <h1>
        <span class="number">#{incident.number}</span> {incident.title}
      </h1>
      <p class="line">
        <SeverityMark severity={incident.severity} />
        <State incident={incident} now={now} />
        <Activity incident={incident} now={now} />
      </p>
      {into !== undefined && (
        <p>
          Part of <a href={incidentUrl(into)}>{`#${into.number}: ${into.title}`}</a>
        </p>
      )}
      {impact !== '' && <p class="impact">Impact: {impact}</p>}
      <p>
        Root service <strong>{rootWords(incident)}</strong>
        {others.length > 0 && `. ${alsoAffects(others)}.`}
      </p>
      {incident.closing !== null && incident.closing.note !== '' && (
        <blockquote class="note" aria-label="Resolution note">
          {incident.closing.note}
        </blockquote>
      )}
    </div>
  );
}

/** The same facts as the card in Slack, and the exact times. */
export function Facts({ view: { incident, now, related }, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const previous = incident.previousIncidentId === null ? undefined : related.get(incident.previousIncidentId);
  return (
    <dl id="incident-facts" class="facts" {...swapIf(isChanged)}>
      <dt>Signals</dt>
      <dd>{signalWords(incident)}</dd>
      <dt>Opened</dt>
      <dd>
        <Moment at={incident.openedAt} now={now} />
      </dd>
      <dt>Last seen</dt>
      <dd>
        <Moment at={incident.lastSeenAt} now={now} />
      </dd>
      {incident.signalsEndedAt !== null && (
        <>
          <dt>All signals ended</dt>
          <dd>
            <Moment at={incident.signalsEndedAt} now={now} />
          </dd>
        </>
      )}
      {previous !== undefined && (
        <>
          <dt>Continues</dt>
          <dd>
            <a href={incidentUrl(previous)}>{`#${previous.number} ${previous.title}`}</a>
          </dd>
        </>
      )}
    </dl>
  );
}
