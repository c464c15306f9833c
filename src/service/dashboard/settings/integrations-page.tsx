import { INGEST_PATHS } from '../../../contract/requests.ts';
import { type Integration, integrationStatusOf } from '../../core/integration.ts';
import { hasRole } from '../../core/session.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Select } from '../parts/form.tsx';
import { Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { CreateForm, NameField } from './create-form.tsx';
import { renderSettingsPage } from './settings-page.tsx';
import { VENDOR_WORDS } from './vendor-set-up.ts';

export const TYPE_WORDS: Readonly<Record<Integration['type'], string>> = {
  otlp: 'OpenTelemetry',
  alertmanager: 'Prometheus Alertmanager',
  prometheus: 'Prometheus without Alertmanager',
  grafana: 'Grafana Alerting',
  pagerduty_events: 'PagerDuty Events API (in)',
  opsgenie: 'Opsgenie Alert API (in)',
  oncall: 'Grafana OnCall (its senders)',
  cloudevents: 'CloudEvents',
  generic: 'JSON',
  heartbeat: 'Heartbeat',
  ...VENDOR_WORDS,
  json: 'Any JSON, by a mapping',
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
        <NewIntegrationForm session={session} fault={fault} />
      ) : (
        <p>Only admins create and change integrations.</p>
      )}
      {integrations.length === 0 ? (
        <p class="empty">There are no integrations yet.</p>
      ) : (
        <Table caption="Newest first" columns={['Name', 'Type', 'Status', 'Last used']}>
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
        </Table>
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

function NewIntegrationForm({ session, fault }: Pick<IntegrationsView, 'session' | 'fault'>) {
  return (
    <CreateForm title="Create an integration" action="/dashboard/settings/integrations" session={session} fault={fault}>
      <Select
        label="Type"
        name="type"
        value={undefined}
        options={TYPES.map((type) => [type, TYPE_WORDS[type as Integration['type']]])}
      />
      <NameField />
      <label>
        Address (webhooks)
        <input name="url" type="url" maxlength={2000} autocomplete="off" placeholder="https://…" />
      </label>
      <label>
        Service (heartbeats)
        <input name="service" maxlength={200} autocomplete="off" placeholder="backup" />
      </label>
      <label>
        Seconds between two heartbeats
        <input name="interval_seconds" type="number" min="10" max="2678400" placeholder="3600" />
      </label>
      <label>
        Seconds that a heartbeat may be late
        <input name="grace_seconds" type="number" min="10" max="2678400" placeholder="60" />
      </label>
      <label>
        Minutes of silence that open an incident (senders of signals; empty: none)
        <input name="silence_minutes" type="number" min="1" max="44640" />
      </label>
      <label>
        Secret that signs (Sentry, GitHub, Flux)
        <input name="secret" maxlength={255} autocomplete="off" spellcheck={false} />
      </label>
      <label>
        Integration key (PagerDuty)
        <input name="routing_key" maxlength={200} autocomplete="off" spellcheck={false} />
      </label>
    </CreateForm>
  );
}
