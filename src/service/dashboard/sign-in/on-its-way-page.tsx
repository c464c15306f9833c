import { renderPage } from '../layout.tsx';

/** The same for every address, so that nobody learns here who is known. */
export function renderOnItsWayPage() {
  return renderPage(
    { title: 'Look into Slack', section: null, session: null },
    <div class="narrow">
      <p role="status">
        If Slack knows you by this address, a message is on its way. Its link works once, for 10 minutes.
      </p>
      <p class="quiet">
        No message after a minute? Type <code>/incidents dashboard</code> in Slack.
      </p>
      <p>
        <a href="/dashboard/sign-in">Back to sign-in</a>
      </p>
    </div>,
  );
}
