import { endOf, hasRole, type Session, type SignInMethod, shownName } from '../../core/session.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Foreign } from '../parts/foreign.tsx';
import { InlineAction } from '../parts/inline-action.tsx';
import { RecordTable } from '../parts/table.tsx';
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
      <RecordTable
        caption="Sessions, last used first"
        records={sessions}
        values={{
          Person: ({ id, person }) => (
            <>
              <Foreign>{shownName(person)}</Foreign>
              {id === session.id && <span class="quiet"> (this session)</span>}
            </>
          ),
          Role: ({ role }) => <span class="word">{role}</span>,
          'Signed in': ({ method, createdAt }) => (
            <>
              {METHOD_WORDS[method]}, <Moment at={createdAt} now={now} />
            </>
          ),
          From: (each) => <From {...each} />,
          'Last used': ({ lastSeenAt }) => <Ago at={lastSeenAt} now={now} />,
          Ends: (each) => <Ago at={endOf(each)} now={now} />,
        }}
        action={{
          heading: 'Change',
          of: ({ id, person }) => (
            <InlineAction
              action={`/dashboard/settings/people/sessions/${id}/end`}
              session={session}
              text="End"
              label={`End the session of ${shownName(person)}`}
            />
          ),
        }}
      />
    </>,
  );
}
