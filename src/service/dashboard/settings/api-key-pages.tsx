import type { ApiKey } from '../../core/api-key.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Moment } from '../parts/time.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { keyUrl } from './api-keys-page.tsx';
import { Copyable } from './copy-button.tsx';
import { renderSettingsPage } from './settings-page.tsx';

/** Choices of how long the old key of a rotation works, in hours, as in the form. */
export const GRACES = [
  ['24', 'for another 24 hours'],
  ['1', 'for another hour'],
  ['168', 'for another 7 days'],
  ['0', 'not at all'],
] as const;

interface NewKeyView {
  readonly session: DashboardSession;
  readonly key: ApiKey;
  readonly rawKey: string;
  /** When the key ends that it replaces; null: it replaces none. */
  readonly oldWorksUntil: Date | null;
  readonly now: Date;
}

/** The only page that shows the raw key. */
export function renderNewApiKeyPage({ session, key, rawKey, oldWorksUntil, now }: NewKeyView) {
  return renderSettingsPage(
    { title: 'Key created', current: 'api-keys', session, now },
    <>
      <p>
        Copy the key{' '}
        <strong>
          <Foreign>{key.name}</Foreign>
        </strong>{' '}
        ({key.scope}) now. <strong>It is shown only once</strong>, because it is not stored.
      </p>
      <Copyable id="raw-key" text={rawKey} label="Copy the key" />
      {key.expiresAt !== null && (
        <p>
          It expires <Moment at={key.expiresAt} now={now} />.
        </p>
      )}
      {oldWorksUntil !== null && (
        <p>
          {oldWorksUntil > now ? 'The old key ends ' : 'The old key has ended '}
          <Moment at={oldWorksUntil} now={now} />.
        </p>
      )}
      <p>
        <a href="/dashboard/settings/api-keys">Back to all keys</a>
      </p>
    </>,
  );
}

interface ConfirmView {
  readonly session: DashboardSession;
  readonly key: ApiKey;
  readonly now: Date;
}

export function renderRevokePage({ session, key, now }: ConfirmView) {
  return renderSettingsPage(
    { title: `Revoke ${key.name}?`, current: 'api-keys', session, now },
    <form class="stack narrow" method="post" action={`${keyUrl(key.id)}/revoke`}>
      <CsrfField session={session} />
      <p>
        Programs with this {key.scope} key are refused at once, and sessions that came from it end. This cannot be taken
        back. {key.integrationId !== null && 'Its integration is disabled if it has no other key.'}
      </p>
      <p>Last used: {key.lastUsedAt === null ? 'never' : <Moment at={key.lastUsedAt} now={now} />}</p>
      <button type="submit">Revoke for good</button>
      <a href="/dashboard/settings/api-keys">Keep it</a>
    </form>,
  );
}

export function renderRotatePage({ session, key }: Omit<ConfirmView, 'now'>) {
  return renderSettingsPage(
    { title: `Rotate ${key.name}`, current: 'api-keys', session },
    <form class="stack narrow" method="post" action={`${keyUrl(key.id)}/rotate`}>
      <CsrfField session={session} />
      <p>You get a new key of the same name and scope, which does not expire.</p>
      <label>
        The old key works
        <select name="grace">
          {GRACES.map(([hours, words]) => (
            <option value={hours}>{words}</option>
          ))}
        </select>
      </label>
      <button type="submit">Rotate</button>
      <a href="/dashboard/settings/api-keys">Leave it</a>
    </form>,
  );
}
