import type { Role } from '../../../contract/sign-in.ts';
import { type Person, shownName } from '../../core/session.ts';
import { renderPage } from '../layout.tsx';
import { Foreign } from '../parts/foreign.tsx';

interface LinkView {
  /** Path of the link itself. */
  readonly path: string;
  readonly person: Person;
  readonly role: Role;
}

export function renderLinkPage({ path, person, role }: LinkView) {
  return renderPage(
    { title: 'Sign in', section: null, session: null },
    <form class="stack narrow" method="post" action={path}>
      <p>
        This link is for{' '}
        <strong>
          <Foreign>{shownName(person)}</Foreign>
        </strong>{' '}
        and works once. If that is not you, close this page.
      </p>
      <button class="main" type="submit">
        Sign in as <Foreign>{shownName(person)}</Foreign>
      </button>
      <p class="quiet">Role: {role}</p>
    </form>,
  );
}
