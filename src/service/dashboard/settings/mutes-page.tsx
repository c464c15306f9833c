import type { Mute } from '../../../contract/resources.ts';
import { hasRole } from '../../core/session.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { InlineAction } from '../parts/inline-action.tsx';
import { Table } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { renderSettingsPage } from './settings-page.tsx';

interface MutesView {
  readonly session: DashboardSession;
  readonly mutes: readonly Mute[];
  readonly now: Date;
}

/** All mutes, also the silences that amtool made. */
export function renderMutesPage({ session, mutes, now }: MutesView) {
  const mayEnd = hasRole(session, 'responder');
  return renderSettingsPage(
    { title: 'Mutes', current: 'mutes', session },
    <>
      <p>
        While a mute holds, nobody is reminded and no new messages are posted. Silences of amtool are here too. Mute a
        service on the page of one of its incidents.
      </p>
      {mutes.length === 0 ? (
        <p class="empty">Nothing is muted.</p>
      ) : (
        <Table caption="The first to end first" columns={['Muted', 'Until', 'By', 'Reason', mayEnd && 'End']}>
          {mutes.map(({ id, target, value, until, created_by: by, reason }) => (
            <tr>
              <td>
                {target} <bdi>{value}</bdi>
              </td>
              <td data-label="Until">
                <Moment at={new Date(until)} now={now} />
              </td>
              <td data-label="By">
                <bdi>{by}</bdi>
              </td>
              <td data-label="Reason">
                <bdi>{reason ?? ''}</bdi>
              </td>
              {mayEnd && (
                <td data-label="End">
                  <InlineAction
                    action={`/dashboard/settings/mutes/${id}/end`}
                    session={session}
                    text="End"
                    label={`End the mute of ${target} ${value}`}
                  />
                </td>
              )}
            </tr>
          ))}
        </Table>
      )}
    </>,
  );
}
