import { html } from 'hono/html';

/** In this order: narrow windows change what the others say. */
const STYLES = ['base', 'frame', 'messages', 'blocks', 'composer', 'fields', 'modals', 'narrow'];

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
        <div class="workspace">
          <nav class="sidebar" aria-label="Workspace">
            <header class="team">
              <h1 id="team">Local Slack</h1>
              <p>A stand-in for Slack, on this machine only.</p>
            </header>
            <h2 id="channels-heading">Channels</h2>
            <ul id="channels" class="places" aria-labelledby="channels-heading" />
            <h2 id="apps-heading">Apps</h2>
            <ul id="apps" class="places" aria-labelledby="apps-heading" />
            <div class="act-as">
              <label for="act-as">Act as</label>
              <select id="act-as" />
            </div>
          </nav>
          <main class="channel">
            <header class="channel-header">
              <h2 id="channel-name">Channel</h2>
              <p id="channel-topic" />
              <p id="channel-members" />
            </header>
            <div
              id="timeline"
              class="timeline"
              role="log"
              aria-live="polite"
              aria-labelledby="channel-name"
              tabindex={0}
            >
              <ol id="messages" class="messages" />
            </div>
            <form id="composer" class="composer" />
          </main>
          <aside id="thread" class="thread" aria-labelledby="thread-heading" hidden>
            <header class="channel-header">
              <h2 id="thread-heading">Thread</h2>
              <button id="thread-close" type="button" class="icon-button" aria-label="Close the thread">
                ×
              </button>
            </header>
            <div class="timeline" role="log" aria-live="polite" aria-labelledby="thread-heading" tabindex={0}>
              <ol id="thread-messages" class="messages" />
            </div>
            <form id="thread-composer" class="composer" />
          </aside>
        </div>
        <dialog id="modal" class="modal" aria-labelledby="modal-title" />
        <dialog id="confirm" class="modal confirm" aria-labelledby="confirm-title" />
      </body>
    </html>
  );
}
