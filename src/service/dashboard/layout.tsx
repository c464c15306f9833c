import { formatDistance } from 'date-fns/formatDistance';
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { DashboardSession } from './dashboard-env.ts';
import { CsrfField } from './session/csrf.tsx';

type Section = 'incidents' | 'settings' | null;

interface Frame {
  readonly title: string;
  /** The entry of the navigation that is marked. */
  readonly section: Section;
  /** null: nobody is signed in, so there is no navigation. */
  readonly session: DashboardSession | null;
}

/** A complete page. All values are escaped. */
export function renderPage({ title, section, session }: Frame, content: Child) {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Tocsin`}</title>
        <link rel="stylesheet" href="/dashboard/style.css" />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header>
          <div class="bar">
            <strong>Tocsin</strong>
            {session !== null && (
              <>
                <nav aria-label="Main">
                  <NavLink href="/dashboard/incidents" text="Incidents" isCurrent={section === 'incidents'} />
                  <NavLink href="/dashboard/settings/api-keys" text="Settings" isCurrent={section === 'settings'} />
                </nav>
                <SignedIn session={session} />
              </>
            )}
          </div>
        </header>
        <main id="content">
          <h1>{title}</h1>
          {content}
        </main>
      </body>
    </html>
  );
  return html`<!doctype html>${page}`;
}

function SignedIn({ session }: { readonly session: DashboardSession }) {
  return (
    <form class="who" method="post" action="/dashboard/sign-out">
      <CsrfField session={session} />
      <span>
        {session.person.name} <span class="quiet">({session.role})</span>
      </span>
      <button type="submit">Sign out</button>
    </form>
  );
}

export function NavLink({ href, text, isCurrent }: { href: string; text: string; isCurrent: boolean }) {
  return isCurrent ? (
    <a href={href} aria-current="page">
      {text}
    </a>
  ) : (
    <a href={href}>{text}</a>
  );
}

/** Relative time, and the exact time in UTC. */
export function Time({ at, now }: { at: Date; now: Date }) {
  const exact = `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return (
    <time datetime={at.toISOString()}>
      {formatDistance(at, now, { addSuffix: true })} <span class="quiet">({exact})</span>
    </time>
  );
}
