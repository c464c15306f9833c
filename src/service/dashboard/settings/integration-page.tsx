import type { Child } from 'hono/jsx';
import type { ApiKey } from '../../core/api-key.ts';
import type { DeliveryAttempt } from '../../core/delivery-attempt.ts';
import { type Integration, isIncoming, isReceiver, maskConfig } from '../../core/integration.ts';
import { hasRole } from '../../core/session.ts';
import type { AskedState } from '../../store/integrations/asked-state-store.ts';
import type { RefusedPayload } from '../../store/integrations/refused-payload-store.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Foreign } from '../parts/foreign.tsx';
import { InlineAction } from '../parts/inline-action.tsx';
import { RecordTable } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { keyUrl } from './api-keys-page.tsx';
import { AskedStates } from './asked-states.tsx';
import { integrationUrl, nameOf, Status, TYPE_WORDS } from './integrations-page.tsx';
import { MappingForm, type MappingState } from './mapping-form.tsx';
import { FirstSignal, isAwaited, SetUp } from './set-up.tsx';
import { renderSettingsPage } from './settings-page.tsx';
import { SystemForm } from './system-form.tsx';

interface IntegrationView {
  readonly session: DashboardSession;
  readonly integration: Integration;
  /** Ingest keys that work. */
  readonly keys: readonly ApiKey[];
  /** Newest first; of a webhook. */
  readonly deliveries: readonly DeliveryAttempt[];
  /** Newest first; of an incoming integration. */
  readonly refused: readonly RefusedPayload[];
  /** Words of states that nobody has explained. */
  readonly asked: readonly AskedState[];
  /** How any JSON is read; null: this type needs no mapping. */
  readonly mapping: MappingState | null;
  /** Systems of all integrations. */
  readonly systems: readonly string[];
  /** What is wrong with the system that was typed; null: nothing. */
  readonly systemFault: string | null;
  /** The page reloads by itself until the first use. */
  readonly isWaiting: boolean;
  readonly publicUrl: string;
  readonly now: Date;
}

export function renderIntegrationPage(view: IntegrationView) {
  const { session, integration, keys, refused, asked, mapping, systems, now, publicUrl } = view;
  const mayManage = hasRole(session, 'admin');
  const [unkept = [], rejected = []] = [true, false].map((isUnkept) =>
    refused.filter(({ kind }) => (kind === 'unkept') === isUnkept),
  );
  return renderSettingsPage(
    { title: nameOf(integration), current: 'integrations', session, now, isPolling: isAwaited(integration) },
    <>
      <dl id="integration-facts" class="facts">
        <dt>Type</dt>
        <dd>{TYPE_WORDS[integration.type]}</dd>
        {isIncoming(integration.type) && systems.length > 1 && (
          <>
            <dt>System</dt>
            <dd>{integration.system}</dd>
          </>
        )}
        <dt>Status</dt>
        <dd>
          <Status integration={integration} now={now} />
        </dd>
        {integration.lastUsedAt !== null && (
          <>
            <dt>Last used</dt>
            <dd>
              <Moment at={integration.lastUsedAt} now={now} />
            </dd>
          </>
        )}
        {isReceiver(integration.type) && (
          <>
            <dt>Address</dt>
            <dd>
              <Foreign>{String(maskConfig(integration).url)}</Foreign>
            </dd>
          </>
        )}
        {keys.map((key) => (
          <>
            <dt>Ingest key</dt>
            <dd>
              <code>{key.hint}</code> {mayManage && <a href={`${keyUrl(key.id)}/rotate`}>Rotate</a>}
            </dd>
          </>
        ))}
      </dl>
      {isIncoming(integration.type) && <FirstSignal {...view} />}
      {asked.length > 0 && (
        <AskedStates
          session={session}
          integration={integration}
          asked={asked}
          mapping={mapping}
          mayAnswer={mayManage}
          now={now}
        />
      )}
      {mapping !== null && mayManage && (
        <MappingForm
          session={session}
          integration={integration}
          {...mapping}
          betters={mapping.betters?.filter(({ end }) => !asked.some(({ word }) => word === end))}
        />
      )}
      <Payloads id="unkept" payloads={unkept} now={now}>
        <h2 id="unkept">Accepted, but not kept</h2>
        <p class="quiet">
          The answer was a success, so the sender may not notice. One example of each; what may be secret is masked.
        </p>
      </Payloads>
      {mapping === null && (
        <Payloads id="refused" payloads={rejected} now={now}>
          <h2 id="refused">Last refused</h2>
          <p class="quiet">The beginning of each payload. What may be secret is masked.</p>
          <p>
            If the sender cannot send what this type reads, create an integration of type{' '}
            <a href="/dashboard/settings/integrations?type=json">any JSON, by a mapping</a>, send to its address, and
            write the mapping on what arrives.
          </p>
        </Payloads>
      )}
      {mayManage && <Actions session={session} integration={integration} />}
      {mayManage && isIncoming(integration.type) && <SystemForm {...view} fault={view.systemFault} />}
      <SetUp integration={integration} publicUrl={publicUrl} rawKey={null} />
      {isReceiver(integration.type) && <Deliveries {...view} />}
    </>,
  );
}

/** What was sent, and what is wrong with it; nothing of an empty list. */
function Payloads({
  id,
  payloads,
  now,
  children,
}: {
  readonly id: string;
  readonly payloads: readonly RefusedPayload[];
  readonly now: Date;
  readonly children: Child;
}) {
  if (payloads.length === 0) {
    return null;
  }
  return (
    <section aria-labelledby={id}>
      {children}
      {payloads.map(({ at, fault, text }) => (
        <>
          <p>
            <Moment at={at} now={now} />:{' '}
            <span class="alarm">
              <Foreign>{fault}</Foreign>
            </span>
          </p>
          {text === null ? (
            <p class="quiet">The payload cannot be shown: it is too large or not text.</p>
          ) : (
            <pre class="body">
              <Foreign>{text}</Foreign>
            </pre>
          )}
        </>
      ))}
    </section>
  );
}

function Actions({ session, integration }: Pick<IntegrationView, 'session' | 'integration'>) {
  const base = integrationUrl(integration.id);
  const actions = [
    ...(isReceiver(integration.type) ? [['test', 'Send a test event'] as const] : []),
    ...(isReceiver(integration.type) && integration.disabledAt !== null ? [['enable', 'Enable'] as const] : []),
    ...(integration.type === 'webhook' ? [['rotate-secret', 'Rotate the signing secret'] as const] : []),
  ];
  return (
    <div class="buttons">
      {actions.map(([action, words]) => (
        <InlineAction action={`${base}/${action}`} session={session} text={words} />
      ))}
      <a href={`${base}/delete`}>Delete</a>
    </div>
  );
}

function Deliveries({ session, integration, deliveries, now }: IntegrationView) {
  if (deliveries.length === 0) {
    return <p class="empty">Nothing was delivered yet.</p>;
  }
  return (
    <RecordTable
      caption="Deliveries of the last 7 days, newest first"
      records={deliveries}
      values={{
        When: ({ attemptedAt }) => <Moment at={attemptedAt} now={now} />,
        Event: ({ eventType, attempt }) => `${eventType}, attempt ${attempt}`,
        Result: ({ error, httpStatus, durationMs }) => (
          <>
            {error === null ? (
              <span class="calm">delivered</span>
            ) : (
              <span class="alarm">
                <Foreign>{error}</Foreign>
              </span>
            )}
            {httpStatus !== null && ` (${httpStatus}, ${durationMs} ms)`}
          </>
        ),
        Answer: ({ response }) => (response === null || response === '' ? 'none' : <Foreign>{response}</Foreign>),
      }}
      action={{
        heading: 'Change',
        of: ({ id, sequence, eventType }) =>
          hasRole(session, 'admin') &&
          sequence !== null && (
            <InlineAction
              action={`${integrationUrl(integration.id)}/deliveries/${id}/resend`}
              session={session}
              text="Send again"
              label={`Send again: ${eventType}`}
            />
          ),
      }}
    />
  );
}

export function renderDeletePage({ session, integration }: Pick<IntegrationView, 'session' | 'integration'>) {
  return renderSettingsPage(
    { title: `Delete ${nameOf(integration)}?`, current: 'integrations', session },
    <form class="stack narrow" method="post" action={`${integrationUrl(integration.id)}/delete`}>
      <CsrfField session={session} />
      <p>Its keys are revoked and its deliveries are forgotten. This cannot be taken back.</p>
      <button type="submit">Delete</button>
      <a href={integrationUrl(integration.id)}>Keep it</a>
    </form>,
  );
}
