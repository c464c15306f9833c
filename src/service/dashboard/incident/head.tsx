import { nameOf } from '../../../contract/actor.ts';
import { deployedWords } from '../../../incident/deploys.ts';
import { isMuted } from '../../../incident/mute.ts';
import { isOnlyDeclared, muteWord } from '../../../incident/words.ts';
import type { Incident } from '../../core/incident.ts';
import { presentDeclared } from '../../core/present.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Activity, Harm, harmWords, State, signalTypes } from '../parts/incident-words.tsx';
import { LinkedText } from '../parts/linked-text.tsx';
import { OutsideLink } from '../parts/outside-link.tsx';
import { swapIf } from '../parts/region.tsx';
import { SeverityMark } from '../parts/severity.tsx';
import { Clock, Moment } from '../parts/time.tsx';
import { pageAddress } from '../query-fields.ts';
import { Answers } from './answers.tsx';
import { type IncidentView, incidentUrl, stillOpenBefore } from './incident-view.ts';
import { affectedBy, type Hop, pathOf } from './path-of.ts';

/** What fails, how much, and whether it still does. */
export function Head({
  view: { incident, now, related, evidence, similar },
  isChanged,
}: {
  view: IncidentView;
  isChanged: boolean;
}) {
  const into = incident.mergedInto === null ? undefined : related.get(incident.mergedInto);
  const before = stillOpenBefore({ incident, related });
  return (
    <div id="incident-head" class="incident-head" {...swapIf(isChanged)}>
      <p class="line">
        <SeverityMark severity={incident.severity} />
        <State incident={incident} now={now} />
        <Activity incident={incident} now={now} />
      </p>
      <h1>
        <span class="number">#{incident.number}</span> <Foreign>{incident.title}</Foreign>
      </h1>
      {into !== undefined && (
        <p>
          Part of{' '}
          <a href={incidentUrl(into)}>
            {`#${into.number}: `}
            <Foreign>{into.title}</Foreign>
          </a>
        </p>
      )}
      {before !== null && (
        <p>
          Continues{' '}
          <a href={incidentUrl(before)}>
            {`#${before.number}: `}
            <Foreign>{before.title}</Foreign>
          </a>
          , which is still open
        </p>
      )}
      <p class="impact">
        {harmWords(incident) === '' ? (
          <>
            Since <Clock at={beginningOf(incident)} now={now} />
          </>
        ) : (
          <Harm incident={incident} now={now} />
        )}
      </p>
      <Path hops={pathOf(incident)} />
      <Answers incident={incident} now={now} evidence={evidence} similar={similar} />
      <Snoozed incident={incident} now={now} />
      {incident.closing !== null && incident.closing.note !== '' && (
        <blockquote class="note" aria-label="Resolution note">
          <LinkedText text={incident.closing.note} />
        </blockquote>
      )}
    </div>
  );
}

/** When the failure first happened: of requests, or of signals where no request is known to be lost. */
function beginningOf({ correlation: { harm, window }, openedAt }: Pick<Incident, 'correlation' | 'openedAt'>): Date {
  const since = Date.parse(harm?.since ?? window.from);
  return Number.isNaN(since) ? openedAt : new Date(Math.min(since, openedAt.getTime()));
}

/** How the failure reached people, from the root on. */
function Path({ hops }: { hops: readonly Hop[] }) {
  return hops.length === 0 ? null : (
    <ol class="path" aria-label="From the root to where requests enter">
      {hops.map(({ service, isRoot, numbers }) => (
        <li>
          {numbers !== null && <span class="hop">{`← ${numbers} ← `}</span>}
          <Foreign>{isRoot ? `★ ${service}` : service}</Foreign>
        </li>
      ))}
    </ol>
  );
}

function Snoozed({ incident, now }: { incident: Pick<Incident, 'mute'>; now: Date }) {
  const { mute } = incident;
  if (mute === null || !isMuted(incident, now)) {
    return null;
  }
  const what =
    mute.target === 'incident' ? muteWord(mute) : `${muteWord(mute)} with all of ${mute.target} ${mute.value}`;
  return (
    <p>
      <Foreign>{what}</Foreign> by <Foreign>{nameOf({ by: mute.created_by, byId: mute.created_by_id })}</Foreign> until{' '}
      <Clock at={new Date(mute.until)} now={now} />
      {(mute.reason ?? '') !== '' && (
        <>
          : <Foreign>{mute.reason}</Foreign>
        </>
      )}
    </p>
  );
}

/** Who declared it, and what correlation finds where something else is set. */
function ByHandFacts({ incident }: { incident: Incident }) {
  const { declaredBy, declaredById, found } = incident;
  const isFound = !isOnlyDeclared(presentDeclared(incident));
  const facts = [
    ['Declared by', declaredBy === null ? undefined : nameOf({ by: declaredBy, byId: declaredById })],
    ['Found title', isFound ? found.title : undefined],
    ['Found severity', isFound ? found.severity : undefined],
    ['Found root', found.rootService],
  ] as const;
  return facts.map(
    ([term, value]) =>
      value !== undefined && (
        <>
          <dt>{term}</dt>
          <dd>
            <Foreign>{value}</Foreign>
          </dd>
        </>
      ),
  );
}

/** The same facts as the card in Slack, and the exact times. */
export function Facts({
  view: { incident, now, related, traceUrl, cards },
  isChanged,
}: {
  view: IncidentView;
  isChanged: boolean;
}) {
  const traceAddress = incident.traceId === null ? null : traceUrl(incident.traceId);
  const previous = incident.previousIncidentId === null ? undefined : related.get(incident.previousIncidentId);
  const others = affectedBy(incident).filter((service) => service !== incident.rootService);
  return (
    <dl id="incident-facts" class="facts" {...swapIf(isChanged)}>
      {cards.length > 0 && (
        <>
          <dt>In Slack</dt>
          <dd>
            {cards.map(({ url, place }, index) => (
              <>
                {index > 0 && ', '}
                <OutsideLink url={url} text={place} />
              </>
            ))}
          </dd>
        </>
      )}
      <dt>Signals</dt>
      <dd>{signalTypes(incident)}</dd>
      {others.length > 0 && (
        <>
          <dt>Also affected</dt>
          <dd>
            <Foreign>{others.join(', ')}</Foreign>
          </dd>
        </>
      )}
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
      <ByHandFacts incident={incident} />
      {incident.changes.length > 1 && (
        <>
          <dt>Deployed</dt>
          <dd>
            {incident.changes.map((change) => (
              <div>
                <Foreign>{`${change.service} ${change.version ?? ''}`.trim()}</Foreign>
                {`, ${deployedWords(change, incident.openedAt.toISOString())}`}
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
              <code>
                <Foreign>{incident.traceId}</Foreign>
              </code>
            ) : (
              <OutsideLink url={traceAddress} text={incident.traceId} />
            )}
          </dd>
        </>
      )}
      {incident.labels.length > 0 && (
        <>
          <dt>Labels</dt>
          <dd>
            {incident.labels.map((label) => (
              <div>
                <a href={pageAddress('/dashboard/incidents', { label })}>
                  <Foreign>{label}</Foreign>
                </a>
              </div>
            ))}
          </dd>
        </>
      )}
      {incident.integrations.length > 0 && (
        <>
          <dt>Reported by</dt>
          <dd>
            <Foreign>{incident.integrations.map(({ id, name }) => name ?? id).join(', ')}</Foreign>
          </dd>
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
            <a href={incidentUrl(previous)}>
              {`#${previous.number} `}
              <Foreign>{previous.title}</Foreign>
            </a>
          </dd>
        </>
      )}
    </dl>
  );
}
