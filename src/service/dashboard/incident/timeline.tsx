import { nameOf } from '../../../contract/actor.ts';
import type { TimelineEntry } from '../../../contract/resources.ts';
import { type Phrase, plural } from '../../../incident/phrase.ts';
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
  paged: 'Waking',
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

/** Of a longer timeline the first ones are folded. */
const ENTRIES_SHOWN = 8;

/** What happened, oldest first, with the notes. */
export function Timeline({ view: { incident, now }, isChanged }: { view: IncidentView; isChanged: boolean }) {
  const entries = timelineOf(incident);
  const earlier = entries.slice(0, -ENTRIES_SHOWN);
  return (
    <Region id="incident-timeline" title="Timeline" isChanged={isChanged}>
      {earlier.length > 0 && (
        <details>
          <summary>{plural(earlier.length, 'earlier entry', 'earlier entries')}</summary>
          <Entries entries={earlier} now={now} />
        </details>
      )}
      <Entries entries={entries.slice(-ENTRIES_SHOWN)} now={now} />
    </Region>
  );
}

function Entries({ entries, now }: { entries: readonly TimelineEntry[]; now: Date }) {
  return (
    <ol class="timeline">
      {entries.map((entry) => (
        <li>
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
