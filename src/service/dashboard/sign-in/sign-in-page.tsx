import { renderPage } from '../layout.tsx';
import { Fault } from '../parts/fault.tsx';

interface SignInView {
  /** The page to show afterwards. */
  readonly returnTo: string;
  /** Host of the OpenID provider; null: there is none. */
  readonly openIdHost: string | null;
  /** A bot is there that can send a link. */
  readonly isSlackAsked: boolean;
  /** What is wrong with the form, in one sentence. */
  readonly fault: string | null;
}

export function renderSignInPage({ returnTo, openIdHost, isSlackAsked, fault }: SignInView) {
  const number = incidentOf(returnTo);
  const command = number === null ? '/incidents dashboard' : `/incidents dashboard #${number}`;
  return renderPage(
    { title: 'Sign in', section: null, session: null },
    <div class="narrow">
      <p>
        Tocsin collects what your services report, opens an incident when something fails for people, says where it
        began, and tells the team in Slack.
      </p>
      <Fault text={fault} />
      <section class="box" aria-labelledby="slack">
        <h2 id="slack">From Slack</h2>
        {isSlackAsked && (
          <form class="stack" method="post" action="/dashboard/sign-in/slack">
            <input type="hidden" name="return_to" value={returnTo} />
            <label>
              Email address that Slack knows you by
              <input name="email" type="email" required maxlength={200} autocomplete="email" />
            </label>
            <button type="submit">Send me a link in Slack</button>
          </form>
        )}
        <p>
          {isSlackAsked ? 'Or type' : 'Type'} <code>{command}</code> in Slack. You get a link that signs you in
          {number === null ? '.' : ` and opens incident #${number}.`}
        </p>
      </section>
      {openIdHost !== null && (
        <section class="box" aria-labelledby="openid">
          <h2 id="openid">With your account</h2>
          <p>
            <a class="button" href={`/dashboard/sign-in/openid?return_to=${encodeURIComponent(returnTo)}`}>
              Continue with {openIdHost}
            </a>
          </p>
        </section>
      )}
      <section class="box" aria-labelledby="key">
        <h2 id="key">With an API key</h2>
        <form class="stack" method="post" action="/dashboard/sign-in">
          <input type="hidden" name="return_to" value={returnTo} />
          <label>
            API key
            <input name="key" type="password" required maxlength={200} autocomplete="off" spellcheck={false} />
          </label>
          <label>
            Your name, shown on what you do (optional)
            <input name="name" maxlength={100} autocomplete="name" />
          </label>
          <button type="submit">Sign in</button>
        </form>
        <p class="quiet">A read-only key may look around. A read-write key may also act and manage Tocsin.</p>
      </section>
    </div>,
  );
}

/** The number of the incident that a page of the dashboard shows; null: it shows no single incident. */
function incidentOf(page: string): string | null {
  return /^\/dashboard\/incidents\/(\d{1,15})(?![^/?#])/.exec(page)?.[1] ?? null;
}
