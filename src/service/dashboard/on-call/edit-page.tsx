import type { KnownPerson } from '../../core/known-person.ts';
import { TURN_UNITS, WEEKDAYS } from '../../core/turns/schedule.ts';
import type { Shift } from '../../core/turns/shifts.ts';
import type { StoredSchedule } from '../../store/schedules/stored-schedule.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { renderPage } from '../layout.tsx';
import { Fault } from '../parts/fault.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Field, Select } from '../parts/form.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { Calendar, type Names } from './calendar.tsx';
import { NOBODY, type TypedEdit, type TypedLayer } from './edit-form.ts';
import { scheduleUrl } from './on-call-page.tsx';
import { peopleOptions } from './schedule-page.tsx';

export interface EditView {
  readonly session: DashboardSession;
  readonly schedule: StoredSchedule;
  readonly people: readonly KnownPerson[];
  readonly names: Names;
  readonly typed: TypedEdit;
  readonly fault: string | null;
  /** null: nothing to show yet. */
  readonly preview: { readonly before: readonly Shift[]; readonly after: readonly Shift[]; readonly from: Date } | null;
  readonly now: Date;
}

/** Blank places at the end of a list of people. */
const SPARE_TURNS = 2;

export function renderEditPage(view: EditView) {
  const { session, schedule, typed, fault, preview, names, now } = view;
  return renderPage(
    { title: `Edit ${schedule.name}`, section: 'on-call', session, now },
    <form class="schedule" method="post" action={`${scheduleUrl(schedule.id)}/edit`}>
      <CsrfField session={session} />
      <input type="hidden" name="revision" value={typed.revision} />
      <p>
        The past stays as it was. A layer that you change ends at its next hand-over, and the person after the one on
        call is next.
      </p>
      <Fault text={fault} />
      <div class="row filters">
        <Field label="Name" name="name" value={typed.name} />
        <Field label="Time zone" name="zone" value={typed.zone} options={Intl.supportedValuesOf('timeZone')} />
      </div>
      {typed.layers.map((layer, index) => (
        <LayerFields layer={layer} index={index} people={view.people} />
      ))}
      <div class="buttons">
        <button type="submit" name="do" value="add">
          Add a layer
        </button>
      </div>
      <label class="check">
        <input type="checkbox" name="at-once" value="yes" checked={typed.isAtOnce} /> Change at once, also who is on
        call now
      </label>
      <div class="buttons">
        <button type="submit" name="do" value="preview">
          Preview
        </button>
        <button class="primary" type="submit" name="do" value="save">
          Save
        </button>
        <a href={scheduleUrl(schedule.id)}>Back without saving</a>
      </div>
      {preview !== null && (
        <section aria-labelledby="preview">
          <h2 id="preview">What would change</h2>
          <Calendar
            shifts={preview.after}
            before={preview.before}
            from={preview.from}
            timeZone={typed.zone}
            names={names}
            now={now}
          />
        </section>
      )}
    </form>,
  );
}

function LayerFields({ layer, index, people }: { layer: TypedLayer; index: number; people: readonly KnownPerson[] }) {
  const name = (field: string) => `${index}.${field}`;
  const turns = [...layer.people, ...Array<string>(SPARE_TURNS).fill('')];
  const hours = [...layer.hours, { days: [], from: '', to: '' }];
  const options = [['', 'no further turn'], [NOBODY, 'nobody'], ...peopleOptions(people)] as const;
  return (
    <section class="box" aria-labelledby={`layer-${index}`}>
      <h2 id={`layer-${index}`}>Layer {index + 1}</h2>
      <input type="hidden" name={name('id')} value={layer.id} />
      <fieldset class="turns">
        <legend>Turns, in this order</legend>
        {turns.map((person, place) => (
          <Select label={`Turn ${place + 1}`} name={name('people')} value={person} options={options} />
        ))}
      </fieldset>
      <div class="row filters">
        <Field label="A turn lasts" name={name('count')} value={layer.count} />
        <Select label="Unit" name={name('unit')} value={layer.unit} options={TURN_UNITS} />
        <Field label="Hand-over at" name={name('at')} value={layer.at} placeholder="09:00" />
        <Field label="First hand-over on" name={name('anchor')} value={layer.anchor} placeholder="2027-03-01" />
        <Field label="Time zone (empty: of the schedule)" name={name('zone')} value={layer.zone} />
        <Field label="Last day (empty: none)" name={name('until')} value={layer.until} placeholder="2027-12-31" />
      </div>
      {hours.map((each, place) => (
        <fieldset class="turns">
          <legend>{place === 0 ? 'Only in these hours (empty: always)' : 'and in these'}</legend>
          {WEEKDAYS.map((day) => (
            <label class="check">
              <input type="checkbox" name={name(`days.${place}`)} value={day} checked={each.days.includes(day)} />{' '}
              <Foreign>{day}</Foreign>
            </label>
          ))}
          <Field label="From" name={name(`from.${place}`)} value={each.from} placeholder="09:00" />
          <Field label="To" name={name(`to.${place}`)} value={each.to} placeholder="17:30" />
        </fieldset>
      ))}
      <label class="check">
        <input type="checkbox" name={name('remove')} value="yes" /> Remove this layer
      </label>
    </section>
  );
}
