import { nameOf } from '../../../contract/actor.ts';
import type { TimelineEntry } from '../../../contract/resources.ts';
import type { Phrase } from '../../../incident/phrase.ts';
import { timelineOf } from '../../core/incident.ts';
import { Foreign } from '../parts/foreign.tsx';
import { plainPhrase } from '../parts/incident-words.tsx';
import { LinkedText } from '../parts/linked-text.tsx';
import { Region } from '../parts/region.tsx';
import { Clock, Moment } from '../parts/time.tsx';
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

/** What it says beyond that: "until 14:05: planned work", "with #12", a note. Empty if nothing. */
export function detailOf({ event, text = '' }: Pick<TimelineEntry, 'event' | 'text'>): Phrase {
  if (event === 'merged' || event === 'split') {
    return [`${event === 'merged' ? 'with' : 'from'} ${text}`];
  }
  const [, until, reason = ''] = (event === 'muted' ? /^until (\S+Z)(.*)$/s.exec(text) : null) ?? [];
  if (until !== undefined) {
    return ['until ', { at: until, as: 'time' }, reason];
  }
  return text === '' ? [] : [text];
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
            <Detail of={detailOf(entry)} now={now} />
          </li>
        ))}
      </ol>
    </Region>
  );
}

function Detail({ of, now }: { of: Phrase; now: Date }) {
  return of.length === 0 ? null : (
    <p class="note">
      {of.map((part) =>
        typeof part === 'object' && 'at' in part ? (
          <Clock at={new Date(part.at)} now={now} />
        ) : (
          <LinkedText text={plainPhrase([part])} />
        ),
      )}
    </p>
  );
}
