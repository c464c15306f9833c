import { Foreign } from '../parts/foreign.tsx';
import { closedBy } from '../parts/incident-words.tsx';
import { LinkedText } from '../parts/linked-text.tsx';
import { Region } from '../parts/region.tsx';
import { Ago } from '../parts/time.tsx';
import { type IncidentView, incidentUrl } from './incident-view.ts';

/** How the same failure was fixed before. */
export function Similar({ view: { similar, now } }: { view: IncidentView }) {
  return similar.length === 0 ? null : (
    <Region id="incident-similar" title="Happened before" isChanged={false}>
      <ul class="similar">
        {similar.map((each) => (
          <li>
            <a href={incidentUrl(each)}>
              {`#${each.number} `}
              <Foreign>{each.title}</Foreign>
            </a>
            <p class="note">
              <LinkedText text={each.closing.note === '' ? 'No note.' : each.closing.note} />
            </p>
            <p class="quiet">
              closed
              {each.closing.by !== null && (
                <>
                  {' by '}
                  <Foreign>{closedBy(each.closing)}</Foreign>
                </>
              )}
              , <Ago at={each.closing.at} now={now} />
            </p>
          </li>
        ))}
      </ul>
    </Region>
  );
}
