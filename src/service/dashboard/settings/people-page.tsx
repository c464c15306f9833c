import { endOf, hasRole, type Session, type SignInMethod, shownName } from '../../core/session.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Foreign } from '../parts/foreign.tsx';
import { InlineAction } from '../parts/inline-action.tsx';
import { Table } from '../parts/table.tsx';
import { Ago, Moment } from '../parts/time.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { renderSettingsPage } from './settings-page.tsx';

export const METHOD_WORDS: Readonly<Record<SignInMethod, string>> = {
  'api-key': 'API key',
  link: 'one-time link',
  openid: 'OpenID Connect',
};

/** Where a request came from. */
export function From({ address, userAgent }: Pick<Session, 'address' | 'userAgent'>) {
  return (
    <>
      <Foreign>{address}</Foreign>
      {userAgent !== address && (
        <span class="quiet">
          {' '}
          <Foreign>{userAgent}</Foreign>
        </span>
      )}
    </>
  );
}

interface PeopleView {
  readonly session: DashboardSession;
  /** Those that the reader may see, last used first. */
  readonly sessions: readonly Session[];
  readonly now: Date;
}

export function renderPeoplePage({ session, sessions, now }: PeopleView) {
  return renderSettingsPage(
    { title: 'People and sessions', current: 'people', session, now },
    <>
      <p>
        A session ends after 12 hours without a request, after 7 days, and with the API key that vouches for it.{' '}
        {!hasRole(session, 'admin') && 'You see your own; admins see all.'}
      </p>
      <form method="post" action="/dashboard/settings/people/sign-out-everywhere">
        <CsrfField session={session} />
        <button type="submit">Sign out everywhere</button>{' '}
        <span class="quiet">ends all your sessions, also this one</span>
      </form>
      <Table
        caption="Sessions, last used first"
        columns={['Person', 'Role', 'Signed in', 'From', 'Last used', 'Ends', 'Change']}
      >
        {sessions.map((each) => (
          <tr>
            <td>
              <Foreign>{shownName(each.person)}</Foreign>
              {each.id === session.id && <span class="quiet"> (this session)</span>}
            </td>
            <td data-label="Role">
              <span class="word">{each.role}</span>
            </td>
            <td data-label="Signed in">
              {METHOD_WORDS[each.method]}, <Moment at={each.createdAt} now={now} />
            </td>
            <td data-label="From">
              <From {...each} />
            </td>
            <td data-label="Last used">
              <Ago at={each.lastSeenAt} now={now} />
            </td>
            <td data-label="Ends">
              <Ago at={endOf(each)} now={now} />
            </td>
            <td>
              <InlineAction
                action={`/dashboard/settings/people/sessions/${each.id}/end`}
                session={session}
                text="End"
                label={`End the session of ${shownName(each.person)}`}
              />
            </td>
          </tr>
        ))}
      </Table>
    </>,
  );
}
