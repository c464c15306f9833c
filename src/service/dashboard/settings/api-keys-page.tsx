import { SCOPES } from '../../../contract/routes.ts';
import { type ApiKey, isWorking } from '../../core/api-key.ts';
import { describeKeyEvent, type KeyEvent } from '../../core/key-event.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { renderPage } from '../layout.tsx';
import { Moment } from '../parts/time.tsx';
import { CsrfField } from '../session/csrf.tsx';

interface ApiKeysView {
  readonly session: DashboardSession;
  readonly keys: readonly ApiKey[];
  /** Newest first. */
  readonly history: readonly KeyEvent[];
  /** Whether the reader may create and revoke keys. */
  readonly mayManage: boolean;
  /** What is wrong with the form, in one sentence. */
  readonly fault: string | null;
  readonly now: Date;
}

export function renderApiKeysPage({ session, keys, history, mayManage, fault, now }: ApiKeysView) {
  return renderPage(
    { title: 'API keys', section: 'settings', session },
    <>
      <p>
        Programs use an API key to send signals or to work with incidents. An ingest key may only send signals. A
        read-only key may only read. A read-write key may do both, and acknowledge, resolve and manage keys.
      </p>
      {mayManage ? <CreateForm session={session} fault={fault} /> : <p>Only admins create and revoke keys.</p>}
      <h2>All keys</h2>
      <div class="scroll">
        <table>
          <caption>Newest first</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Begins with</th>
              <th scope="col">Scope</th>
              <th scope="col">Created</th>
              <th scope="col">Last used</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <tr>
                <td>{key.name}</td>
                <td>
                  <code>{key.hint}</code>
                </td>
                <td>{key.scope}</td>
                <td>
                  <Moment at={key.createdAt} now={now} />
                </td>
                <td>{key.lastUsedAt === null ? 'never' : <Moment at={key.lastUsedAt} now={now} />}</td>
                <td>
                  <KeyState apiKey={key} manager={mayManage ? session : null} now={now} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <History events={history} now={now} />
    </>,
  );
}

function History({ events, now }: { events: readonly KeyEvent[]; now: Date }) {
  return (
    <>
      <h2>History</h2>
      <div class="scroll">
        <table>
          <caption>Changes of keys, newest first</caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Key</th>
              <th scope="col">Change</th>
              <th scope="col">By</th>
            </tr>
          </thead>
          <tbody>
            {events.map((event) => (
              <tr>
                <td>
                  <Moment at={event.at} now={now} />
                </td>
                <td>
                  {event.keyName ?? 'a deleted key'} <span class="quiet">({event.keyId})</span>
                </td>
                <td>{describeKeyEvent(event)}</td>
                <td>{event.by}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** @param props.manager null: the reader may not revoke */
function KeyState(props: { apiKey: ApiKey; manager: DashboardSession | null; now: Date }) {
  const { apiKey, manager, now } = props;
  if (apiKey.revokedAt !== null) {
    return (
      <>
        revoked <Moment at={apiKey.revokedAt} now={now} />
      </>
    );
  }
  if (apiKey.expiresAt !== null && !isWorking(apiKey, now)) {
    return (
      <>
        replaced, ended <Moment at={apiKey.expiresAt} now={now} />
      </>
    );
  }
  return (
    <>
      {apiKey.expiresAt === null ? (
        'works'
      ) : (
        <>
          replaced, ends <Moment at={apiKey.expiresAt} now={now} />
        </>
      )}
      {manager !== null && (
        <form method="post" action={`/dashboard/settings/api-keys/${apiKey.id}/revoke`}>
          <CsrfField session={manager} />
          <button type="submit" aria-label={`Revoke for good: ${apiKey.name}`}>
            Revoke for good
          </button>
        </form>
      )}
    </>
  );
}

function CreateForm({ session, fault }: { session: DashboardSession; fault: string | null }) {
  return (
    <section class="box" aria-labelledby="create">
      <h2 id="create">Create a key</h2>
      {fault !== null && (
        <p class="alarm" role="alert">
          {fault}
        </p>
      )}
      <form class="row" method="post" action="/dashboard/settings/api-keys">
        <CsrfField session={session} />
        <label>
          Name
          <input name="name" required maxlength={200} autocomplete="off" />
        </label>
        <label>
          Scope
          <select name="scope">
            {SCOPES.map((scope) => (
              <option value={scope}>{scope}</option>
            ))}
          </select>
        </label>
        <button type="submit">Create</button>
      </form>
    </section>
  );
}

/** The only page that shows the raw key. */
export function renderNewApiKeyPage(session: DashboardSession, key: ApiKey, rawKey: string) {
  return renderPage(
    { title: 'Key created', section: 'settings', session },
    <>
      <p>
        Copy the key <strong>{key.name}</strong> ({key.scope}) now. <strong>It is shown only once</strong>, because it
        is not stored.
      </p>
      <pre class="box">
        <code>{rawKey}</code>
      </pre>
      <p>
        <a href="/dashboard/settings/api-keys">Back to all keys</a>
      </p>
    </>,
  );
}
