import { endOf, hasRole, type Session, type SignInMethod } from '../../core/session.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Ago, Moment } from '../parts/time.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { renderSettingsPage } from './settings-page.tsx';

export const METHOD_WORDS: Readonly<Record<SignInMethod, string>> = {
  'api-key': 'API key',
  link: 'one-time link',
  openid: 'OpenID Connect',
};

interface PeopleView {
  readonly session: DashboardSession;
  /** Those that the reader may see, last used first. */
  readonly sessions: readonly Session[];
  readonly now: Date;
}

export function renderPeoplePage({ session, sessions, now }: PeopleView) {
  return renderSettingsPage(
    { title: 'People and sessions', current: 'people', session },
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
      <div class="scroll">
        <table>
          <caption>Sessions, last used first</caption>
          <thead>
            <tr>
              <th scope="col">Person</th>
              <th scope="col">Role</th>
              <th scope="col">Signed in</th>
              <th scope="col">From</th>
              <th scope="col">Last used</th>
              <th scope="col">Ends</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {sessions.map((each) => (
              <tr>
                <td>
                  {each.person.name}
                  {each.id === session.id && <span class="quiet"> (this session)</span>}
                </td>
                <td data-label="Role">{each.role}</td>
                <td data-label="Signed in">
                  <Moment at={each.createdAt} now={now} />, {METHOD_WORDS[each.method]}
                </td>
                <td data-label="From">
                  {each.address} <span class="quiet">{each.userAgent}</span>
                </td>
                <td data-label="Last used">
                  <Ago at={each.lastSeenAt} now={now} />
                </td>
                <td data-label="Ends">
                  <Ago at={endOf(each)} now={now} />
                </td>
                <td>
                  <form class="inline" method="post" action={`/dashboard/settings/people/sessions/${each.id}/end`}>
                    <CsrfField session={session} />
                    <button type="submit" aria-label={`End the session of ${each.person.name}`}>
                      End
                    </button>
                  </form>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>,
  );
}
