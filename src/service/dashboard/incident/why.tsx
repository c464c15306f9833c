import { capitalized, plural } from '../../../incident/phrase.ts';
import { possibleRoots } from '../../../incident/root.ts';
import type { Incident } from '../../core/incident.ts';
import { Foreign } from '../parts/foreign.tsx';
import { foundSureness } from '../parts/incident-words.tsx';
import { Region } from '../parts/region.tsx';
import { Clock } from '../parts/time.tsx';
import type { IncidentView } from './incident-view.ts';

const REASONS_SHOWN = 2;

/** The services that may be the root, with reasons. */
export function Why({ view: { incident, now }, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const { correlation, rootChanges } = incident;
  const { candidates = [] } = correlation;
  return (
    <Region id="incident-why" title="Where it comes from" isChanged={isChanged}>
      {candidates.length === 0 ? (
        <Reasons reasons={correlation.evidence} />
      ) : (
        <>
          <p>
            <Foreign>{rootAnswer(incident)}</Foreign>
          </p>
          <ol class="candidates">
            {candidates.map(({ service, reasons }, index) => (
              <li>
                <Candidate service={service} reasons={reasons} isFirst={index === 0} />
              </li>
            ))}
          </ol>
        </>
      )}
      {rootChanges.length > 0 && (
        <>
          <h3>Earlier answers</h3>
          <ul>
            {rootChanges.map(({ at, from, to, because }) => (
              <li>
                <Clock at={new Date(at)} now={now} />
                {': '}
                <Foreign>{from}</Foreign>
                {' -> '}
                <Foreign>{to}</Foreign>
                {because !== '' && (
                  <>
                    {', because '}
                    <Foreign>{because}</Foreign>
                  </>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </Region>
  );
}

/** "Very likely (93 % sure): it began in payments." What somebody set comes first, what was found after it. */
export function rootAnswer(
  incident: Pick<Incident, 'correlation' | 'rootService' | 'byHand' | 'found' | 'declaredBy' | 'signalCounts'>,
): string {
  const { correlation, rootService, byHand, found } = incident;
  if (byHand.rootService !== undefined) {
    const foundRoot = found.rootService ?? rootService;
    return `Set by hand: it began in ${byHand.rootService}. Found: ${foundRoot}, ${foundSureness(incident)}.`;
  }
  const isUnsure = possibleRoots(correlation).length > 0;
  const where = isUnsure ? 'it may have begun in any of these' : `it began in ${rootService}`;
  return `${capitalized(foundSureness(incident))}: ${where}.`;
}

/** The first with its evidence, the others folded: their evidence is mostly the same seen from elsewhere. */
function Candidate({ service, reasons, isFirst }: { service: string; reasons: readonly string[]; isFirst: boolean }) {
  return isFirst || reasons.length === 0 ? (
    <>
      <strong class={isFirst ? 'first' : ''}>
        <Foreign>{service}</Foreign>
      </strong>
      <Reasons reasons={reasons} />
    </>
  ) : (
    <details>
      <summary>
        <Foreign>{service}</Foreign>
      </summary>
      <Reasons reasons={reasons} />
    </details>
  );
}

/** The strongest, and the rest folded. */
function Reasons({ reasons }: { reasons: readonly string[] }) {
  const [shown, folded] = [reasons.slice(0, REASONS_SHOWN), reasons.slice(REASONS_SHOWN)];
  return (
    <>
      <ReasonList reasons={shown} />
      {folded.length > 0 && (
        <details>
          <summary>{plural(folded.length, 'more reason')}</summary>
          <ReasonList reasons={folded} />
        </details>
      )}
    </>
  );
}

function ReasonList({ reasons }: { reasons: readonly string[] }) {
  return reasons.length === 0 ? null : (
    <ul>
      {reasons.map((reason) => (
        <li>
          <Foreign>{reason}</Foreign>
        </li>
      ))}
    </ul>
  );
}
