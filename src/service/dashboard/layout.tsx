import { formatDistance } from 'date-fns/formatDistance';
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';

type Section = 'incidents' | 'api-keys' | null;

/** A complete page. All values are escaped. */
export function renderPage(title: string, section: Section, content: Child) {
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
          <nav aria-label="Main">
            <strong>Tocsin</strong>
            <NavLink href="/dashboard/incidents" text="Incidents" isCurrent={section === 'incidents'} />
            <NavLink href="/dashboard/settings/api-keys" text="Settings: API keys" isCurrent={section === 'api-keys'} />
          </nav>
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
