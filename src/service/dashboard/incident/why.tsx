import { Region } from '../parts/region.tsx';
import type { IncidentView } from './incident-view.ts';

/** The services that may be the root, with reasons. */
export function Why({ view: { incident }, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const { correlation, rootChanges } = incident;
  const { candidates = [] } = correlation;
  return (
    <Region id="incident-why" title="Where it comes from" isChanged={isChanged}>
      <p class="quiet">{`Confidence ${percent(correlation.confidence)}: how far the first is ahead of the second.`}</p>
      {candidates.length === 0 ? (
        <Reasons reasons={correlation.evidence} />
      ) : (
        <ol class="candidates">
          {candidates.map(({ service, score, reasons }) => (
            <li>
              <strong>{service}</strong> <span class="quiet">{percent(score)}</span>
              <meter value={score} min={0} max={1} aria-label={`Likelihood of ${service}`} />
              <Reasons reasons={reasons} />
            </li>
          ))}
        </ol>
      )}
      {rootChanges.length > 0 && (
        <>
          <h3>Changed its mind</h3>
          <ul>
            {rootChanges.map(({ at, from, to, because }) => (
              <li>
                {`${at.slice(11, 19)} UTC: ${from} -> ${to}`}
                {because !== '' && `, because ${because}`}
              </li>
            ))}
          </ul>
        </>
      )}
    </Region>
  );
}

function Reasons({ reasons }: { reasons: readonly string[] }) {
  return reasons.length === 0 ? null : (
    <ul>
      {reasons.map((reason) => (
        <li>{reason}</li>
      ))}
    </ul>
  );
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
