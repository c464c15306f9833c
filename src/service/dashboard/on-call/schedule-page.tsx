import type { KnownPerson } from '../../core/known-person.ts';
import { hasRole } from '../../core/session.ts';
import type { Gap } from '../../core/turns/gaps.ts';
import { onCallAt } from '../../core/turns/on-call-at.ts';
import type { Layer, Override } from '../../core/turns/schedule.ts';
import type { Shift } from '../../core/turns/shifts.ts';
import { renderPage } from '../layout.tsx';
import { Fault } from '../parts/fault.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Field, Select } from '../parts/form.tsx';
import { InlineAction } from '../parts/inline-action.tsx';
import { RecordTable } from '../parts/table.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { Calendar, type Names, nameIn, whenWords } from './calendar.tsx';
import { CalendarIn, CalendarOut, type CalendarView } from './calendar-parts.tsx';
import { Next, scheduleUrl, Who } from './on-call-page.tsx';
import { SlackGroup } from './slack-group.tsx';

export interface ScheduleView extends CalendarView {
  readonly shifts: readonly Shift[];
  /** Of the next 30 days. */
  readonly gaps: readonly Gap[];
  readonly people: readonly KnownPerson[];
  readonly names: Names;
  /** The person who reads; null: the service does not know who it is. */
  readonly self: KnownPerson | null;
  readonly from: Date;
  /** Local dates on which the calendar before and after this one begins. */
  readonly around: { readonly earlier: string; readonly later: string };
  readonly typed: Readonly<Record<string, string>>;
  readonly fault: string | null;
}

const GAPS_SHOWN = 10;

export function renderSchedulePage(view: ScheduleView) {
  const { session, schedule, shifts, names, from, around, now } = view;
  const { id, name, timeZone, layers, overrides } = schedule;
  const mayEdit = hasRole(session, 'responder') && schedule.goneAt === null;
  const isAhead = (end: Date | null) => end === null || end > now;
  return renderPage(
    { title: name, section: 'on-call', session, now },
    <>
      <Fault text={view.fault} />
      <p>
        On call now: <Who person={onCallAt(schedule, now)} names={names} />. Next:{' '}
        <Next schedule={schedule} names={names} now={now} />.
      </p>
      {mayEdit && <Tools {...view} />}
      <Gaps {...view} />
      <Calendar shifts={shifts} from={from} timeZone={timeZone} names={names} now={now} />
      <ul class="pages">
        <li>
          <a href={`${scheduleUrl(id)}?from=${around.earlier}`}>Earlier</a>
        </li>
        <li>
          <a href={`${scheduleUrl(id)}?from=${around.later}`}>Later</a>
        </li>
        <li>
          <a href={`${scheduleUrl(id)}/hours.csv?from=${from.toISOString().slice(0, 10)}`}>
            Hours of these weeks (CSV)
          </a>
        </li>
      </ul>
      <h2>Layers</h2>
      <RecordTable
        caption="The highest first: it counts where it has somebody"
        records={layers.filter(({ validUntil }) => isAhead(validUntil))}
        values={{
          People: ({ people }) => <Foreign>{people.map((person) => nameIn(names, person)).join(', ')}</Foreign>,
          Turns: turnWords,
          Hours: hoursWords,
          Valid: (layer) => validWords(layer, now),
        }}
      />
      <h2>Overrides</h2>
      <RecordTable
        caption="Somebody instead of those whose turn it is"
        records={overrides.filter(({ to }) => isAhead(to))}
        values={{
          Person: (override) => <OverrideWords override={override} names={names} />,
          From: (override) => whenWords(override.from, timeZone),
          Until: (override) => whenWords(override.to, timeZone),
        }}
        action={
          mayEdit
            ? {
                heading: 'End',
                of: (override) => (
                  <InlineAction
                    action={`${scheduleUrl(id)}/overrides/${override.id}/end`}
                    session={session}
                    text="End"
                    label={`End the override of ${nameIn(names, override.person)} from ${whenWords(override.from, timeZone)}`}
                  />
                ),
              }
            : null
        }
      />
      {mayEdit && <NewOverride {...view} />}
      <SlackGroup {...view} />
      <CalendarIn {...view} />
      {mayEdit && <CalendarOut {...view} />}
    </>,
  );
}

function Tools({ session, schedule, self }: ScheduleView) {
  return (
    <div class="toolbar">
      {self !== null && (
        <form class="row" method="post" action={`${scheduleUrl(schedule.id)}/take`}>
          <CsrfField session={session} />
          <Select label="I take it for" name="hours" value="2" options={TAKEN} />
          <button type="submit">Take</button>
        </form>
      )}
      <a class="button" href={`${scheduleUrl(schedule.id)}/edit`}>
        Edit the schedule
      </a>
      <InlineAction action={`${scheduleUrl(schedule.id)}/delete`} session={session} text="Delete the schedule" />
    </div>
  );
}

const TAKEN = [
  ['1', '1 hour'],
  ['2', '2 hours'],
  ['4', '4 hours'],
  ['8', '8 hours'],
  ['24', '1 day'],
] as const;

function Gaps({ gaps, schedule, names }: ScheduleView) {
  if (gaps.length === 0) {
    return null;
  }
  return (
    <section class="box" aria-labelledby="gaps">
      <h2 id="gaps">Gaps in the next 30 days</h2>
      <ul>
        {gaps.slice(0, GAPS_SHOWN).map((gap) => (
          <li>
            {whenWords(gap.from, schedule.timeZone)} to {whenWords(gap.to, schedule.timeZone)}:{' '}
            {gap.person !== null && (
              <>
                <Foreign>{nameIn(names, gap.person)}</Foreign>,{' '}
              </>
            )}
            <span class="alarm">
              <GapWords gap={gap} />
            </span>
          </li>
        ))}
      </ul>
      {gaps.length > GAPS_SHOWN && <p class="quiet">and {gaps.length - GAPS_SHOWN} more</p>}
    </section>
  );
}

function GapWords({ gap: { because, elsewhere } }: { gap: Gap }) {
  switch (because) {
    case 'nobody':
      return <>nobody</>;
    case 'left':
      return <>has left</>;
    case 'not-wakeable':
      return <>cannot be woken: no loud way is proved and works</>;
    case 'elsewhere':
      return (
        <>
          also on call in <Foreign>{elsewhere ?? ''}</Foreign>
        </>
      );
  }
}

function NewOverride({ session, schedule, people, typed }: ScheduleView) {
  return (
    <section class="box" aria-labelledby="override">
      <h2 id="override">Override</h2>
      <form class="row" method="post" action={`${scheduleUrl(schedule.id)}/overrides`}>
        <CsrfField session={session} />
        <Select label="Person" name="person" value={typed.person} options={peopleOptions(people)} />
        <Field label={`From (${schedule.timeZone}; empty: now)`} name="from" type="datetime-local" value={typed.from} />
        <Field label={`Until (${schedule.timeZone})`} name="to" type="datetime-local" value={typed.to} />
        <Field label="Why" name="reason" value={typed.reason} />
        <button type="submit">Put on call</button>
      </form>
    </section>
  );
}

function OverrideWords({ override, names }: { override: Override; names: Names }) {
  const { person, replaces } = override;
  return (
    <>
      <Who person={person} names={names} />
      {replaces !== null && (
        <>
          {' '}
          instead of <Foreign>{nameIn(names, replaces)}</Foreign>
        </>
      )}
    </>
  );
}

/** Those who are here. */
export function peopleOptions(people: readonly KnownPerson[]): [string, string][] {
  return people.filter(({ goneAt }) => goneAt === null).map(({ id, name }) => [id, name]);
}

function turnWords({ every: { count, unit }, at, anchor, timeZone }: Layer): string {
  const turn = count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
  return `${turn} at ${at} ${timeZone}, from ${anchor}`;
}

function hoursWords({ hours }: Layer): string {
  return hours.length === 0
    ? 'always'
    : hours.map(({ days, from, to }) => `${days.join(' ')} ${from} to ${to}`).join('; ');
}

function validWords({ validFrom, validUntil, timeZone }: Layer, now: Date): string {
  const words = [
    ...(validFrom > now ? [`from ${whenWords(validFrom, timeZone)}`] : []),
    ...(validUntil === null ? [] : [`until ${whenWords(validUntil, timeZone)}`]),
  ];
  return words.length === 0 ? 'now' : words.join(' ');
}
