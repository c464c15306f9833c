import { createHash } from 'node:crypto';
import type { ServiceProcess } from './service-process.ts';

/** An alert in Prometheus' format. */
export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
}

/** Creates an alert of the service that starts to fire now. */
export function createAlert(service: string): Alert {
  return {
    labels: { alertname: 'HighErrorRate', service, severity: 'critical' },
    annotations: { summary: '5 % of requests fail' },
    startsAt: new Date().toISOString(),
  };
}

/**
 * Posts alerts to Tocsin in the format of Alertmanager's webhook, one request per alert, as Alertmanager does when it
 * groups by alert.
 */
export async function postAlerts(service: ServiceProcess, alerts: readonly Alert[]): Promise<void> {
  await Promise.all(
    alerts.map(async (alert) => {
      const fingerprint = createHash('md5').update(JSON.stringify(alert.labels)).digest('hex').slice(0, 16);
      const firing = { status: 'firing', endsAt: '0001-01-01T00:00:00Z' };
      const response = await fetch(`${service.baseUrl}/alertmanager`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ version: '4', receiver: 'tocsin', alerts: [{ ...firing, ...alert, fingerprint }] }),
      });
      if (response.status !== 200) {
        throw new Error(`the service responded with ${response.status}: ${await response.text()}`);
      }
    }),
  );
}
