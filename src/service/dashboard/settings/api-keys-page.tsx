import { SCOPES } from '../../../contract/route.ts';
import { isWorking } from '../../core/api-key.ts';
import { hasRole } from '../../core/session.ts';
import type { ListedKey } from '../../store/keys/api-key-store.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Select } from '../parts/form.tsx';
import { RecordTable } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { CreateForm, NameField } from './create-form.tsx';
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
    { title: 'API keys', current: 'api-keys', session, now },
    <>
      <p>
        Programs use an API key to send signals or to work with incidents. An ingest key may only send signals. A
        read-only key may only read. A read-write key may do both, and acknowledge, resolve and manage keys.
      </p>
      {mayManage ? <NewKeyForm session={session} fault={fault} /> : <p>Only admins create and revoke keys.</p>}
      <h2>All keys</h2>
      <RecordTable
        caption="Newest first"
        records={keys}
        values={{
          Name: ({ name }) => <Foreign>{name}</Foreign>,
          'Begins with': ({ hint }) => <code>{hint}</code>,
          Scope: ({ scope }) => scope,
          Created: ({ createdAt, createdBy }) => (
            <>
              <Moment at={createdAt} now={now} />
              {createdBy !== null && (
                <span class="quiet">
                  {' '}
                  by <Foreign>{createdBy}</Foreign>
                </span>
              )}
            </>
          ),
          'Last used': ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Moment at={lastUsedAt} now={now} />),
          State: (key) => <KeyState apiKey={key} now={now} />,
        }}
        action={
          mayManage ? { heading: 'Change', of: (key) => isWorking(key, now) && <ChangeLinks apiKey={key} /> } : null
        }
      />
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
    return <span class="word">works</span>;
  }
  const [ended, ends] = isReplaced ? ['replaced, ended', 'replaced, ends'] : ['expired', 'works, ends'];
  return (
    <>
      {isWorking(apiKey, now) ? ends : ended} <Moment at={expiresAt} now={now} />
    </>
  );
}

function NewKeyForm({ session, fault }: Pick<ApiKeysView, 'session' | 'fault'>) {
  return (
    <CreateForm title="Create a key" action="/dashboard/settings/api-keys" session={session} fault={fault}>
      <NameField />
      <Select label="Scope" name="scope" value={undefined} options={SCOPES} />
      <Select
        label="Expires"
        name="days"
        value={undefined}
        options={LIFETIMES.map((days) => [days, days === '' ? 'never' : `in ${days} days`])}
      />
    </CreateForm>
  );
}
