import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import { shownName } from '../core/session.ts';
import type { DashboardSession } from './dashboard-env.ts';
import { Foreign } from './parts/foreign.tsx';
import { CsrfField } from './session/csrf.tsx';
import { staticUrl } from './static-files.ts';

type Section = 'incidents' | 'signals' | 'services' | 'on-call' | 'settings' | null;

export interface Frame {
  readonly title: string;
  /** The entry of the navigation that is marked. */
  readonly section: Section;
  /** null: nobody is signed in, so there is no navigation. */
  readonly session: DashboardSession | null;
  /** Address of the page's stream of changes; absent or null: the page does not change by itself. */
  readonly liveUrl?: string | null;
  /** The page asks for a part of itself again and again; absent: it does not. */
  readonly isPolling?: boolean;
  /** The time of the service, so that a wrong clock of the reader's machine makes no age wrong; absent: no ages are shown. */
  readonly now?: Date;
  /** Shown instead of the plain title above the content. */
  readonly heading?: Child;
}

/** Connections that were lost are tried again at least every 5 seconds. */
const HTMX_CONFIG = JSON.stringify({
  history: false,
  includeIndicatorCSS: false,
  sse: { reconnectMaxDelay: 5_000 },
});

/** The extension retries a connection that ends, but not a first one that fails. It ignores triggers while it is connected. */
const CONNECT_TRIGGER = 'load, every 5s';

/** A complete page. All values are escaped. */
export function renderPage(
  { title, section, session, liveUrl = null, isPolling = false, heading, now }: Frame,
  content: Child,
) {
  const page = (
    <html lang="en" data-now={now?.toISOString()}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Tocsin`}</title>
        <link rel="icon" href={staticUrl('icon.svg')} />
        <link rel="manifest" href={staticUrl('manifest.json')} />
        <script src={staticUrl('theme.js')} />
        <link rel="stylesheet" href={staticUrl('style.css')} />
        <script src={staticUrl('page.js')} defer />
        {(liveUrl !== null || isPolling) && (
          <>
            <meta name="htmx-config" content={HTMX_CONFIG} />
            <script src={staticUrl('htmx.js')} defer />
          </>
        )}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <div class="bar">
            <a class="brand" href="/dashboard/incidents">
              <svg class="bell" viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
                <path d="M8 1a1 1 0 0 1 1 1v.6A4.5 4.5 0 0 1 12.500 7v3l1.500 2v1H2v-1l1.500-2V7A4.500 4.500 0 0 1 7 2.600V2a1 1 0 0 1 1-1zM6 14h4a2 2 0 0 1-4 0z" />
              </svg>
              Tocsin
            </a>
            {session !== null && (
              <>
                {liveUrl !== null && <LiveStatus />}
                <details class="menu">
                  <summary class="button">Menu</summary>
                  <div class="menu-items">
                    <nav aria-label="Main">
                      <NavLink href="/dashboard/incidents" text="Incidents" isCurrent={section === 'incidents'} />
                      <NavLink href="/dashboard/signals" text="Signals" isCurrent={section === 'signals'} />
                      <NavLink href="/dashboard/services" text="Services" isCurrent={section === 'services'} />
                      <NavLink href="/dashboard/on-call" text="On call" isCurrent={section === 'on-call'} />
                      <NavLink href="/dashboard/settings/api-keys" text="Settings" isCurrent={section === 'settings'} />
                    </nav>
                    <Find />
                    <SignedIn session={session} />
                    <Comforts />
                  </div>
                </details>
              </>
            )}
            {session === null && <Comforts />}
          </div>
        </header>
        <main id="content">
          {heading ?? (
            <h1>
              <Foreign>{title}</Foreign>
            </h1>
          )}
          {content}
        </main>
        <KeyboardHelp />
        {liveUrl !== null && (
          <div id="live" hidden hx-sse:connect={liveUrl} hx-trigger={CONNECT_TRIGGER} hx-swap="none" />
        )}
      </body>
    </html>
  );
  return html`<!doctype html>${page}`;
}

function Comforts() {
  return (
    <span class="comforts">
      <button type="button" class="icon" data-theme-switch="" hidden aria-label="Light or dark">
        ◐
      </button>
      <button type="button" class="icon" data-help="" hidden aria-label="Keyboard shortcuts">
        ?
      </button>
    </span>
  );
}

/** Looks for incidents, services and signals at once. */
function Find() {
  return (
    <search class="find">
      <form method="get" action="/dashboard/search">
        <input type="search" name="q" maxlength={200} placeholder="Search, or #142" aria-label="Search everything" />
      </form>
    </search>
  );
}

function SignedIn({ session }: { readonly session: DashboardSession }) {
  return (
    <form class="who" method="post" action="/dashboard/sign-out">
      <CsrfField session={session} />
      <span>
        <Foreign>{shownName(session.person)}</Foreign> <span class="quiet">({session.role})</span>
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

/** Says whether the page follows changes. Without JavaScript it does not, and this stays hidden. */
function LiveStatus() {
  return (
    <span id="live-status" class="live" role="status" hidden>
      Connecting
    </span>
  );
}

const SHORTCUTS = [
  ['j', 'next'],
  ['k', 'previous'],
  ['Enter', 'open'],
  ['/', 'search everything'],
  ['a', 'acknowledge'],
  ['r', 'resolve'],
  ['n', 'add a note'],
  ['?', 'this help'],
] as const;

function KeyboardHelp() {
  return (
    <dialog id="keyboard-help" aria-labelledby="keyboard-title">
      <h2 id="keyboard-title">Keyboard shortcuts</h2>
      <dl class="keys">
        {SHORTCUTS.map(([key, action]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{action}</dd>
          </>
        ))}
      </dl>
      <form class="dialog-form" method="dialog">
        <label class="check">
          <input type="checkbox" data-shortcuts="" checked /> Use single-key shortcuts
        </label>
        <label class="check">
          <input type="checkbox" data-sound="" /> Play a sound for new incidents in an open list
        </label>
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
