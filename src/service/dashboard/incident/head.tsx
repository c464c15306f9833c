import type { Mute } from '../../../contract/resources.ts';
import { alsoAffects, signalWords } from '../incidents/incident-row.tsx';
import { Activity, impactWords, rootWords, State } from '../parts/incident-words.tsx';
import { OutsideLink } from '../parts/outside-link.tsx';
import { swapIf } from '../parts/region.tsx';
import { SeverityMark } from '../parts/severity.tsx';
import { Ago, Clock, Moment } from '../parts/time.tsx';
import { type IncidentView, incidentUrl } from './incident-view.ts';

/** What fails, how much, and whether it still does. */
export function Head({
  view: { incident, cards, now, related },
  isChanged,
}: {
  view: IncidentView;
  isChanged: boolean;
}) {
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
      {cards.length > 0 && (
        <p>
          In Slack:{' '}
          {cards.map(({ url, place }, index) => (
            <>
              {index > 0 && ', '}
              <OutsideLink url={url} text={place} />
            </>
          ))}
        </p>
      )}
      <Snoozed mute={incident.mute} now={now} />
      {incident.closing !== null && incident.closing.note !== '' && (
        <blockquote class="note" aria-label="Resolution note">
          {incident.closing.note}
        </blockquote>
      )}
    </div>
  );
}

function Snoozed({ mute, now }: { mute: Mute | null; now: Date }) {
  const until = mute === null ? null : new Date(mute.until);
  if (mute === null || until === null || until <= now) {
    return null;
  }
  const what = mute.target === 'incident' ? 'Snoozed' : `Muted with all of ${mute.target} ${mute.value}`;
  return (
    <p>
      {`${what} by ${mute.created_by} until `}
      <Clock at={until} now={now} />
      {(mute.reason ?? '') !== '' && `: ${mute.reason}`}
    </p>
  );
}

/** The same facts as the card in Slack, and the exact times. */
export function Facts({
  view: { incident, now, related, traceUrl },
  isChanged,
}: {
  view: IncidentView;
  isChanged: boolean;
}) {
  const traceAddress = incident.traceId === null ? null : traceUrl(incident.traceId);
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
      {incident.changes.length > 0 && (
        <>
          <dt>Deployed before</dt>
          <dd>
            {incident.changes.map(({ at, service, version }) => (
              <div>
                {`${service} ${version ?? ''} `}
                <Ago at={new Date(at)} now={now} />
              </div>
            ))}
          </dd>
        </>
      )}
      {incident.traceId !== null && (
        <>
          <dt>A failed trace</dt>
          <dd>
            {traceAddress === null ? (
              <code>{incident.traceId}</code>
            ) : (
              <OutsideLink url={traceAddress} text={incident.traceId} />
            )}
          </dd>
        </>
      )}
      {incident.integrations.length > 0 && (
        <>
          <dt>Reported by</dt>
          <dd>{incident.integrations.map(({ id, name }) => name ?? id).join(', ')}</dd>
        </>
      )}
      {incident.links.length > 0 && (
        <>
          <dt>Links</dt>
          <dd>
            {incident.links.map(({ kind, url }) => (
              <div>
                {`${kind}: `}
                <OutsideLink url={url} text={url} />
              </div>
            ))}
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
