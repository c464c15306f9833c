import { SCOPES } from '../../../contract/routes.ts';
import { isWorking } from '../../core/api-key.ts';
import { hasRole } from '../../core/session.ts';
import type { ListedKey } from '../../store/api-key-store.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Moment } from '../parts/time.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { renderSettingsPage } from './settings-page.tsx';

/** Choices of a key's lifetime in days, as in the form; empty: it does not expire. */
export const LIFETIMES = ['', '7', '30', '90', '365'] as const;

interface ApiKeysView {
  readonly session: DashboardSession;
  readonly keys: readonly ListedKey[];
  /** What is wrong with the form, in one sentence. */
  readonly fault: string | null;
  readonly now: Date;
}

export function keyUrl(id: string): string {
  return `/dashboard/settings/api-keys/${id}`;
}

export function renderApiKeysPage({ session, keys, fault, now }: ApiKeysView) {
  const mayManage = hasRole(session, 'admin');
  return renderSettingsPage(
    { title: 'API keys', current: 'api-keys', session },
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
              {mayManage && <th scope="col">Change</th>}
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <tr>
                <td>{key.name}</td>
                <td data-label="Begins with">
                  <code>{key.hint}</code>
                </td>
                <td data-label="Scope">{key.scope}</td>
                <td data-label="Created">
                  <Moment at={key.createdAt} now={now} />
                  {key.createdBy !== null && <span class="quiet"> by {key.createdBy}</span>}
                </td>
                <td data-label="Last used">
                  {key.lastUsedAt === null ? 'never' : <Moment at={key.lastUsedAt} now={now} />}
                </td>
                <td data-label="State">
                  <KeyState apiKey={key} now={now} />
                </td>
                {mayManage && <td>{isWorking(key, now) && <ChangeLinks apiKey={key} />}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>,
  );
}

function ChangeLinks({ apiKey }: { apiKey: ListedKey }) {
  return (
    <span class="line">
      <a href={`${keyUrl(apiKey.id)}/rotate`} aria-label={`Rotate ${apiKey.name}`}>
        Rotate
      </a>
      <a href={`${keyUrl(apiKey.id)}/revoke`} aria-label={`Revoke ${apiKey.name}`}>
        Revoke
      </a>
    </span>
  );
}

function KeyState({ apiKey, now }: { apiKey: ListedKey; now: Date }) {
  const { revokedAt, expiresAt, isReplaced } = apiKey;
  if (revokedAt !== null) {
    return (
      <>
        revoked <Moment at={revokedAt} now={now} />
      </>
    );
  }
  if (expiresAt === null) {
    return <>works</>;
  }
  const [ended, ends] = isReplaced ? ['replaced, ended', 'replaced, ends'] : ['expired', 'works, ends'];
  return (
    <>
      {isWorking(apiKey, now) ? ends : ended} <Moment at={expiresAt} now={now} />
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
        <label>
          Expires
          <select name="days">
            {LIFETIMES.map((days) => (
              <option value={days}>{days === '' ? 'never' : `in ${days} days`}</option>
            ))}
          </select>
        </label>
        <button type="submit">Create</button>
      </form>
    </section>
  );
}
