import { hasRole } from '../../core/session.ts';
import type { ShownLesson } from '../../store/incidents/lesson-store.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { incidentUrl } from '../incident/incident-view.ts';
import { Foreign } from '../parts/foreign.tsx';
import { InlineAction } from '../parts/inline-action.tsx';
import { RecordTable } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { renderSettingsPage } from './settings-page.tsx';

interface LessonsView {
  readonly session: DashboardSession;
  readonly lessons: readonly ShownLesson[];
  readonly now: Date;
}

/** What people taught by closing incidents as no problem, and by setting their roots. */
export function renderLessonsPage({ session, lessons, now }: LessonsView) {
  const mayForget = hasRole(session, 'responder');
  return renderSettingsPage(
    { title: 'Lessons', current: 'lessons', session, now },
    <>
      <p>
        After somebody closes an incident as no problem, the same evidence at the same place has to be clearly stronger
        to open an incident again. A total outage and other kinds of failures open one as before. After somebody sets
        the root of an incident, that service is named before the found one when both show the same kind of evidence
        again.
      </p>
      {lessons.length === 0 ? (
        <p class="empty">Nothing was taught.</p>
      ) : (
        <RecordTable
          caption="The newest first"
          records={lessons}
          values={{
            'What was taught': ({ text }) => <Foreign>{text}</Foreign>,
            Incident: ({ number, title, note }) => (
              <>
                <a href={incidentUrl({ number })}>{`#${number}`}</a> <Foreign>{note ?? title}</Foreign>
              </>
            ),
            Taught: ({ at, by }) => (
              <>
                <Moment at={at} now={now} />
                {by !== null && (
                  <>
                    {' by '}
                    <Foreign>{by}</Foreign>
                  </>
                )}
              </>
            ),
            Until: ({ until }) => <Moment at={until} now={now} />,
          }}
          action={
            mayForget
              ? {
                  heading: 'Forget',
                  of: ({ id, text }) => (
                    <InlineAction
                      action={`/dashboard/settings/lessons/${id}/forget`}
                      session={session}
                      text="Forget"
                      label={`Forget the lesson: ${text}`}
                    />
                  ),
                }
              : null
          }
        />
      )}
    </>,
  );
}
