import { nameOf } from '../../../contract/actor.ts';
import type { TimelineEntry } from '../../../contract/resources.ts';
import { timelineOf } from '../../core/incident.ts';
import { Foreign } from '../parts/foreign.tsx';
import { LinkedText } from '../parts/linked-text.tsx';
import { Region } from '../parts/region.tsx';
import { Moment } from '../parts/time.tsx';
import type { IncidentView } from './incident-view.ts';

const WORDS: Readonly<Record<TimelineEntry['event'], string>> = {
  opened: 'Opened',
  declared: 'Declared',
  changed: 'Changed',
  acknowledged: 'Acknowledged',
  unacknowledged: 'Acknowledgement taken back',
  closed: 'Closed',
  taught: 'Taught',
  forgotten: 'Lesson forgotten',
  reopened: 'Opened again',
  recurred: 'Failing again',
  note: 'Note',
  muted: 'Snoozed',
  unmuted: 'Snooze ended',
  merged: 'Merged',
  split: 'Split',
};

/** "Acknowledged by ana" */
export function momentWords({ event, by, by_id: byId }: Pick<TimelineEntry, 'event' | 'by' | 'by_id'>): string {
  return by === undefined ? WORDS[event] : `${WORDS[event]} by ${nameOf({ by, byId })}`;
}

/** What happened, oldest first, with the notes. */
export function Timeline({ view: { incident, now }, isChanged }: { view: IncidentView; isChanged: boolean }) {
  return (
    <Region id="incident-timeline" title="Timeline" isChanged={isChanged}>
      <ol class="timeline">
        {timelineOf(incident).map((entry) => (
          <li class={`moment-${entry.event}`}>
            <strong>
              <Foreign>{momentWords(entry)}</Foreign>
            </strong>{' '}
            <span class="quiet">
              <Moment at={new Date(entry.at)} now={now} />
            </span>
            {entry.text !== undefined && entry.text !== '' && (
              <p class="note">
                <LinkedText text={entry.text} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </Region>
  );
}
