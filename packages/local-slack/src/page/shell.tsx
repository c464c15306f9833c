import { html } from 'hono/html';

/** In this order: narrow windows change what the others say. */
const STYLES = [
  'base',
  'frame',
  'messages',
  'blocks',
  'cards',
  'composer',
  'fields',
  'menus',
  'modals',
  'tools',
  'panel',
  'narrow',
];

/** The empty page: landmarks and labels. The browser modules in assets/ fill it. */
export function renderShell(appName: string) {
  return html`<!doctype html>${<Shell appName={appName} />}`;
}

function Shell({ appName }: { appName: string }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${appName} in Local Slack`}</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        {STYLES.map((name) => (
          <link key={name} rel="stylesheet" href={`/assets/${name}.css`} />
        ))}
        <script type="module" src="/assets/main.js" />
      </head>
      <body>
        <a class="skip" href="#composer-text">
          Skip to the message box
        </a>
        <div id="notice" role="status" />
        <div id="announcer" class="visually-hidden" aria-live="polite" />
        <div class="workspace">
          <nav class="sidebar" aria-label="Workspace">
            <header class="team">
              <h1 id="team">Local Slack</h1>
              <p>A stand-in for Slack, on this machine only.</p>
            </header>
            <h2 id="channels-heading">Channels</h2>
            <ul id="channels" class="places" aria-labelledby="channels-heading" />
            <div class="sidebar-heading">
              <h2 id="direct-messages-heading">Direct messages</h2>
              <button id="new-message" type="button" class="icon-button" aria-label="New direct message">
                +
              </button>
            </div>
            <ul id="direct-messages" class="places" aria-labelledby="direct-messages-heading" />
            <h2 id="apps-heading">Apps</h2>
            <ul id="apps" class="places" aria-labelledby="apps-heading" />
            <h2 id="tools-openers-heading">Behind the scenes</h2>
            <ul class="places tools-openers" aria-labelledby="tools-openers-heading">
              <li>
                <button id="open-inspector" type="button" aria-expanded="false" aria-controls="tools">
                  Inspector
                </button>
              </li>
              <li>
                <button id="open-faults" type="button" aria-expanded="false" aria-controls="tools">
                  Faults
                </button>
              </li>
              <li hidden>
                <button id="open-panel" type="button" aria-expanded="false" aria-controls="tools" />
              </li>
            </ul>
            <div class="act-as">
              <label for="act-as">Act as</label>
              <select id="act-as" />
            </div>
          </nav>
          <main id="nowhere" class="empty" hidden>
            <h2>You are in no channel</h2>
            <p>Open the app at the side, or act as somebody else.</p>
          </main>
          <main id="channel" class="channel">
            <header class="channel-header">
              <h2 id="channel-name">Channel</h2>
              <p id="channel-topic" />
              <p id="channel-members" />
            </header>
            <div id="tabs" class="tabs" role="tablist" aria-label="Views of the app" hidden>
              <button id="tab-home" type="button" role="tab" aria-controls="home">
                Home
              </button>
              <button id="tab-messages" type="button" role="tab" aria-controls="timeline">
                Messages
              </button>
            </div>
            <div id="home" class="home" role="tabpanel" aria-labelledby="tab-home" tabindex={0} hidden />
            <div id="timeline" class="timeline" role="log" aria-live="off" aria-labelledby="channel-name" tabindex={0}>
              <ol id="messages" class="messages" />
            </div>
            <p id="closed" class="closed" hidden />
            <form id="composer" class="composer" />
          </main>
          <aside id="thread" class="thread" aria-labelledby="thread-heading" hidden>
            <header class="channel-header">
              <h2 id="thread-heading">Thread</h2>
              <button id="thread-close" type="button" class="icon-button" aria-label="Close the thread">
                ×
              </button>
            </header>
            <div class="timeline" role="log" aria-live="off" aria-labelledby="thread-heading" tabindex={0}>
              <ol id="thread-messages" class="messages" />
            </div>
            <form id="thread-composer" class="composer" />
          </aside>
          <aside id="tools" class="thread" aria-labelledby="tools-heading" hidden>
            <header class="channel-header">
              <h2 id="tools-heading">Inspector</h2>
              <button id="tools-close" type="button" class="icon-button" aria-label="Close the panel">
                ×
              </button>
            </header>
            <div id="tool-inspector" class="tool" hidden />
            <div id="tool-faults" class="tool" hidden />
            <div id="tool-panel" class="tool" hidden />
          </aside>
        </div>
        <dialog id="modal" class="modal" aria-labelledby="modal-title" />
        <dialog id="confirm" class="modal confirm" aria-labelledby="confirm-title" />
      </body>
    </html>
  );
}
