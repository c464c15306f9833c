import type { Mute } from '../../../contract/resources.ts';
import { hasRole } from '../../core/session.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Field, Select } from '../parts/form.tsx';
import { InlineAction } from '../parts/inline-action.tsx';
import { Table } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { CreateForm } from './create-form.tsx';
import { renderSettingsPage } from './settings-page.tsx';

/** What was typed into the form. */
export interface TypedMute {
  readonly service: string;
  readonly minutes: string;
  readonly reason: string;
}

interface MutesView {
  readonly session: DashboardSession;
  readonly mutes: readonly Mute[];
  /** To choose from. */
  readonly services: readonly string[];
  readonly typed: TypedMute;
  /** What is wrong with the form, in one sentence. */
  readonly fault: string | null;
  readonly now: Date;
}

const LENGTHS = [
  ['30', '30 minutes'],
  ['60', '1 hour'],
  ['240', '4 hours'],
  ['480', '8 hours'],
  ['1440', '1 day'],
  ['10080', '7 days'],
] as const;

/** All mutes, also the silences that amtool made. */
export function renderMutesPage(view: MutesView) {
  const { session, mutes, now } = view;
  const mayEnd = hasRole(session, 'responder');
  return renderSettingsPage(
    { title: 'Mutes', current: 'mutes', session, now },
    <>
      <p>
        While a mute holds, nobody is reminded and no new messages are posted. Silences of amtool are here too. Work
        that begins later or repeats is planned in Slack: <code>/incidents snooze service:payments</code>.
      </p>
      {mayEnd && <NewMute {...view} />}
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
              <td data-label="Reason">{reason === null || reason === '' ? 'none given' : <bdi>{reason}</bdi>}</td>
              {mayEnd && (
                <td>
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

function NewMute({ session, services, typed, fault }: MutesView) {
  return (
    <CreateForm title="Mute a service" action="/dashboard/settings/mutes" session={session} fault={fault} verb="Mute">
      <Field label="Service" name="service" value={typed.service} options={services} />
      <Select label="From now on for" name="minutes" value={typed.minutes} options={LENGTHS} />
      <Field label="Why" name="reason" value={typed.reason} />
    </CreateForm>
  );
}
