import { INGEST_PATHS } from '../../../contract/integrations.ts';
import { type Integration, isIncoming } from '../../core/integration.ts';
import { stateOfIntegration } from '../../core/integration-state.ts';
import { FORMATS } from '../../ingest/formats/formats.ts';
import { Ago } from '../parts/time.tsx';
import { Copyable } from './copy-button.tsx';
import { integrationUrl } from './integrations-page.tsx';

/** Stands for the key in a snippet, because the key is not stored. */
const PLACEHOLDER = '<INGEST_KEY>';

/** Whether it is to send us signals, and has not begun to. */
export function isAwaited(integration: Integration): boolean {
  return isIncoming(integration.type) && stateOfIntegration(integration) === 'waiting';
}

interface FirstSignalView {
  readonly integration: Integration;
  /** The page reloads by itself until the first use. */
  readonly isWaiting: boolean;
  readonly now: Date;
}

export function FirstSignal({ integration, isWaiting, now }: FirstSignalView) {
  const state = stateOfIntegration(integration);
  if (state === 'refused') {
    return (
      <p id="first-signal" role="status">
        <span class="alarm">Received, but refused</span>: correct what is sent.
      </p>
    );
  }
  if (state !== 'waiting') {
    return (
      <p id="first-signal" role="status">
        <span class="calm">Received</span>
        {integration.lastUsedAt !== null && (
          <>
            : something arrived <Ago at={integration.lastUsedAt} now={now} />
          </>
        )}
        .
      </p>
    );
  }
  const page = integrationUrl(integration.id);
  return (
    <div
      id="first-signal"
      hx-get={page}
      hx-trigger="every 3s"
      hx-select="#first-signal"
      hx-select-oob="#integration-facts"
      hx-swap="outerHTML"
    >
      <p role="status">Waiting for the first signal.</p>
      <noscript>
        {isWaiting ? (
          <p>
            This page reloads every 3 seconds. <a href={page}>Stop waiting</a>
          </p>
        ) : (
          <p>
            <a href={`${page}?wait=1`}>Reload until it arrives</a>
          </p>
        )}
      </noscript>
    </div>
  );
}

interface SetUpView {
  readonly integration: Integration;
  readonly publicUrl: string;
  /** null: it is not stored. */
  readonly rawKey: string | null;
}

export function SetUp({ integration: { type, config }, publicUrl, rawKey }: SetUpView) {
  if (!isIncoming(type)) {
    return null;
  }
  const url = publicUrl + INGEST_PATHS[type];
  const { preset } = config;
  return (
    <>
      <h2>Set it up</h2>
      {rawKey === null && (
        <p>
          Replace <code>{PLACEHOLDER}</code> by the key that was shown when the integration was created. Rotate it if it
          is lost.
        </p>
      )}
      {FORMATS[type]
        .setUp({ publicUrl, url, key: rawKey ?? PLACEHOLDER, ...(typeof preset === 'string' && { preset }) })
        .map(({ title, text }, index) => (
          <>
            <h3>{title}</h3>
            <Copyable id={`snippet-${index}`} text={text} label={`Copy: ${title}`} />
          </>
        ))}
    </>
  );
}
