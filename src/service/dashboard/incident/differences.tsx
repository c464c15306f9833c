import type { Comparison } from '../../../contract/comparison.ts';
import { plural } from '../../../incident/phrase.ts';
import { WaterfallBar } from '../../charts/waterfall.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Clock } from '../parts/time.tsx';
import { attributeName, noDifferenceWords, sampleWords } from './differences-of.ts';
import type { IncidentView } from './incident-view.ts';

/** What the lost requests have that good ones do not. */
export function Differences({ view: { incident, now } }: { view: Pick<IncidentView, 'incident' | 'now'> }) {
  const { comparison, harm } = incident.correlation;
  if (comparison === null || comparison === undefined) {
    return null;
  }
  const { service, lost, good, since, differences } = comparison;
  const none = noDifferenceWords(comparison);
  if (differences.length === 0) {
    return <p class="quiet small">{none}</p>;
  }
  return (
    <>
      <h3>What differs between lost and good requests</h3>
      <p class="quiet small">
        {`${plural(lost, 'request')} that `}
        <Foreign>{service}</Foreign>
        {' lost'}
        {harm !== null && harm !== undefined && (
          <>
            {' since '}
            <Clock at={new Date(harm.since)} now={now} />
          </>
        )}
        {`, against ${plural(good, 'request')} that went well there since `}
        <Clock at={new Date(since)} now={now} />
        {`.${sampleWords(comparison)}`}
      </p>
      <DifferencesTable differences={differences} />
    </>
  );
}

function DifferencesTable({ differences }: Pick<Comparison, 'differences'>) {
  return (
    <table class="differs">
      <thead>
        <tr>
          <th scope="col">Attribute</th>
          <th scope="col">Of the lost ones</th>
          <th scope="col">Of the good ones</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ attribute, value, lost, lost_of: lostOf, good, good_of: goodOf }) => (
          <tr>
            <th scope="row">
              <span class="quiet">{attributeName(attribute)}</span> <Foreign>{value}</Foreign>
            </th>
            <Share count={lost} of={lostOf} kind="lost" />
            <Share count={good} of={goodOf} kind="good" />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Share({ count, of, kind }: { count: number; of: number; kind: 'lost' | 'good' }) {
  return (
    <td class={kind}>
      {`${count.toLocaleString('en')} of ${of.toLocaleString('en')}`}
      <WaterfallBar bar={{ startMs: 0, durationMs: count }} wholeMs={of} />
    </td>
  );
}
