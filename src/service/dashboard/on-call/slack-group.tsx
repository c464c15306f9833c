import { hasRole } from '../../core/session.ts';
import type { StoredSchedule } from '../../store/schedules/stored-schedule.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Field, Select } from '../parts/form.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { scheduleUrl } from './on-call-page.tsx';

const DIRECTIONS = [
  ['write', 'it has whoever is on call now'],
  ['read', 'its members are the people of the lowest layer'],
] as const;

interface SlackGroupView {
  readonly session: DashboardSession;
  readonly schedule: StoredSchedule;
  readonly typed: Readonly<Record<string, string>>;
}

/** The user group that the schedule goes with. */
export function SlackGroup({ session, schedule: { id, slackGroup, goneAt }, typed }: SlackGroupView) {
  const mayEdit = hasRole(session, 'responder') && goneAt === null;
  if (slackGroup === null && !mayEdit) {
    return null;
  }
  return (
    <section class="box" aria-labelledby="slack-group">
      <h2 id="slack-group">Slack user group</h2>
      <p>
        {slackGroup === null ? (
          'This schedule goes with no user group.'
        ) : (
          <>
            This schedule goes with <code>{slackGroup.id}</code>:{' '}
            {DIRECTIONS.find(([direction]) => direction === slackGroup.direction)?.[1]}.
          </>
        )}
      </p>
      {mayEdit && (
        <form class="row" method="post" action={`${scheduleUrl(id)}/slack-group`}>
          <CsrfField session={session} />
          <Field
            label="Group ID (in Slack, from the menu of the group)"
            name="group"
            value={typed.group ?? slackGroup?.id}
            placeholder="S012AB3CD"
          />
          <Select
            label="What it has"
            name="direction"
            value={typed.direction ?? slackGroup?.direction}
            options={DIRECTIONS}
          />
          <button type="submit" name="do" value="save">
            Go with this group
          </button>
          {slackGroup !== null && (
            <button type="submit" name="do" value="remove">
              Go with no group
            </button>
          )}
        </form>
      )}
    </section>
  );
}
