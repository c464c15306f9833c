import { hasRole } from '../../core/session.ts';
import { onCallAt } from '../../core/turns/on-call-at.ts';
import { nextShift } from '../../core/turns/shifts.ts';
import type { StoredSchedule } from '../../store/schedules/stored-schedule.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { renderPage } from '../layout.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Field } from '../parts/form.tsx';
import { RecordTable } from '../parts/table.tsx';
import { CreateForm } from '../settings/create-form.tsx';
import { type Names, nameIn, whenWords } from './calendar.tsx';

export interface OnCallView {
  readonly session: DashboardSession;
  readonly schedules: readonly StoredSchedule[];
  readonly names: Names;
  readonly typed: { readonly name: string; readonly zone: string };
  readonly fault: string | null;
  readonly now: Date;
}

export function scheduleUrl(id: string): string {
  return `/dashboard/on-call/${id}`;
}

export function renderOnCallPage({ session, schedules, names, typed, fault, now }: OnCallView) {
  return renderPage(
    { title: 'On call', section: 'on-call', session, now },
    <>
      <RecordTable
        caption="Schedules, and who is on call"
        records={schedules}
        values={{
          Schedule: ({ id, name }) => (
            <a href={scheduleUrl(id)}>
              <Foreign>{name}</Foreign>
            </a>
          ),
          Now: (schedule) => <Who person={onCallAt(schedule, now)} names={names} />,
          Next: (schedule) => <Next schedule={schedule} names={names} now={now} />,
        }}
      />
      {hasRole(session, 'responder') && (
        <CreateForm title="New schedule" action="/dashboard/on-call" session={session} fault={fault}>
          <Field label="Name" name="name" value={typed.name} placeholder="Payments" />
          <Field
            label="Time zone"
            name="zone"
            value={typed.zone}
            placeholder="Europe/Berlin"
            options={Intl.supportedValuesOf('timeZone')}
          />
        </CreateForm>
      )}
    </>,
  );
}

export function Who({ person, names }: { readonly person: string | null; readonly names: Names }) {
  return person === null ? <span class="alarm">nobody</span> : <Foreign>{nameIn(names, person)}</Foreign>;
}

export function Next({ schedule, names, now }: { schedule: StoredSchedule; names: Names; now: Date }) {
  const next = nextShift(schedule, now);
  return next === null ? (
    <span class="quiet">no change for two months</span>
  ) : (
    <>
      <Who person={next.person} names={names} />{' '}
      <span class="quiet">
        {whenWords(next.from, schedule.timeZone)} {schedule.timeZone}
      </span>
    </>
  );
}
