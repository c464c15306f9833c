import { INGEST_PATHS } from '../../../contract/requests.ts';
import { type Integration, integrationStatusOf } from '../../core/integration.ts';
import { hasRole } from '../../core/session.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Ago } from '../parts/time.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { renderSettingsPage } from './settings-page.tsx';

export const TYPE_WORDS: Readonly<Record<Integration['type'], string>> = {
  otlp: 'OpenTelemetry',
  alertmanager: 'Prometheus Alertmanager',
  pagerduty_events: 'PagerDuty Events API (in)',
  cloudevents: 'CloudEvents',
  generic: 'JSON',
  webhook: 'Webhook',
  pagerduty: 'PagerDuty (out)',
  slack: 'Slack',
};

/** Types that people create here. The bot registers Slack by itself. */
const TYPES = [...Object.keys(INGEST_PATHS), 'webhook', 'pagerduty'] as const;

interface IntegrationsView {
  readonly session: DashboardSession;
  /** Newest first. */
  readonly integrations: readonly Integration[];
  /** What is wrong with the form. */
  readonly fault: string | null;
  readonly now: Date;
}

export function integrationUrl(id: string): string {
  return `/dashboard/settings/integrations/${id}`;
}

export function nameOf({ name, type }: Integration): string {
  return name ?? TYPE_WORDS[type];
}

export function renderIntegrationsPage({ session, integrations, fault, now }: IntegrationsView) {
  return renderSettingsPage(
    { title: 'Integrations', current: 'integrations', session },
    <>
      <p>Integrations send signals to Tocsin, or receive its events.</p>
      {hasRole(session, 'admin') ? (
        <CreateForm session={session} fault={fault} />
      ) : (
        <p>Only admins create and change integrations.</p>
      )}
      {integrations.length === 0 ? (
        <p class="empty">There are no integrations yet.</p>
      ) : (
        <div class="scroll">
          <table>
            <caption>Newest first</caption>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Type</th>
                <th scope="col">Status</th>
                <th scope="col">Last used</th>
              </tr>
            </thead>
            <tbody>
              {integrations.map((integration) => (
                <tr>
                  <td>
                    <a href={integrationUrl(integration.id)}>{nameOf(integration)}</a>
                  </td>
                  <td data-label="Type">{TYPE_WORDS[integration.type]}</td>
                  <td data-label="Status">
                    <Status integration={integration} />
                  </td>
                  <td data-label="Last used">
                    {integration.lastUsedAt === null ? 'never' : <Ago at={integration.lastUsedAt} now={now} />}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>,
  );
}

/** An integration that was never used is not said to work. */
export function Status({ integration }: { integration: Integration }) {
  const status = integrationStatusOf(integration);
  if (status === 'active') {
    return integration.lastUsedAt === null ? <span>waiting for its first use</span> : <span class="calm">works</span>;
  }
  return (
    <>
      <span class="alarm">{status}</span>
      {integration.lastError !== null && <>: {integration.lastError}</>}
    </>
  );
}

function CreateForm({ session, fault }: { session: DashboardSession; fault: string | null }) {
  return (
    <section class="box" aria-labelledby="create">
      <h2 id="create">Create an integration</h2>
      {fault !== null && (
        <p class="alarm" role="alert">
          {fault}
        </p>
      )}
      <form class="row" method="post" action="/dashboard/settings/integrations">
        <CsrfField session={session} />
        <label>
          Type
          <select name="type">
            {TYPES.map((type) => (
              <option value={type}>{TYPE_WORDS[type as Integration['type']]}</option>
            ))}
          </select>
        </label>
        <label>
          Name
          <input name="name" required maxlength={200} autocomplete="off" />
        </label>
        <label>
          Address (webhooks)
          <input name="url" type="url" maxlength={2000} autocomplete="off" placeholder="https://…" />
        </label>
        <label>
          Integration key (PagerDuty)
          <input name="routing_key" maxlength={200} autocomplete="off" spellcheck={false} />
        </label>
        <button type="submit">Create</button>
      </form>
    </section>
  );
}
