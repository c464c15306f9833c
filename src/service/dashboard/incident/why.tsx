import { UNSURE_BELOW } from '../../correlation/ranking/rank.ts';
import { Region } from '../parts/region.tsx';
import type { IncidentView } from './incident-view.ts';

const SURE_FROM = 0.8;

/** The services that may be the root, with reasons. */
export function Why({ view: { incident }, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const { correlation, rootChanges } = incident;
  const { candidates = [] } = correlation;
  return (
    <Region id="incident-why" title="Where it comes from" isChanged={isChanged}>
      {candidates.length === 0 ? (
        <Reasons reasons={correlation.evidence} />
      ) : (
        <>
          <p>{sureness(correlation.confidence)}</p>
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

/** The first with its evidence, the others folded: their evidence is mostly the same seen from elsewhere. */
function Candidate({ service, reasons, isFirst }: { service: string; reasons: readonly string[]; isFirst: boolean }) {
  return isFirst || reasons.length === 0 ? (
    <>
      <bdi class={isFirst ? 'first' : ''}>{service}</bdi>
      <Reasons reasons={reasons} />
    </>
  ) : (
    <details>
      <summary>
        <bdi>{service}</bdi>
      </summary>
      <Reasons reasons={reasons} />
    </details>
  );
}

/** The one number for how sure the engine is, in words first. */
function sureness(confidence: number): string {
  const share = `${Math.round(confidence * 100)} % sure`;
  if (confidence < UNSURE_BELOW) {
    return `It may be any of these (the first is ${share}).`;
  }
  return confidence < SURE_FROM
    ? `Probably the first of these (${share}).`
    : `Very likely the first of these (${share}).`;
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
