import { type Integration, isIncoming } from '../../core/integration.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Copyable } from './copy-button.tsx';
import { integrationUrl, nameOf } from './integrations-page.tsx';
import { FirstSignal, isAwaited, SetUp } from './set-up.tsx';
import { renderSettingsPage } from './settings-page.tsx';

interface SecretView {
  readonly session: DashboardSession;
  readonly integration: Integration;
  /** Shown only here: an ingest key, or the signing secret of a webhook. */
  readonly secret: string;
  readonly publicUrl: string;
  readonly now: Date;
}

export function renderSecretPage({ session, integration, secret, publicUrl, now }: SecretView) {
  return renderSettingsPage(
    { title: nameOf(integration), current: 'integrations', session, now, isPolling: isAwaited(integration) },
    <>
      <p>
        Copy the {isIncoming(integration.type) ? 'ingest key' : 'signing secret'} now.{' '}
        <strong>It is shown only once.</strong>
      </p>
      <Copyable id="secret" text={secret} label="Copy the secret" />
      {isIncoming(integration.type) && <FirstSignal integration={integration} isWaiting={false} now={now} />}
      <SetUp integration={integration} publicUrl={publicUrl} rawKey={secret} />
      <p>
        <a href={integrationUrl(integration.id)}>Go on to the integration</a>
      </p>
    </>,
  );
}
