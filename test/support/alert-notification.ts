const NEVER = '0001-01-01T00:00:00Z';

/** The webhook message of Alertmanager for one alert. @param endedAt null: the alert is firing */
export function alertNotification(
  startedAt = new Date(),
  endedAt: Date | null = null,
  labels: Readonly<Record<string, string>> = {},
) {
  return {
    version: '4',
    receiver: 'tocsin',
    alerts: [
      {
        status: endedAt === null ? 'firing' : 'resolved',
        labels: { alertname: 'HighErrorRate', service: 'payments', severity: 'warning', ...labels },
        annotations: { summary: '5 % of charges fail' },
        startsAt: startedAt.toISOString(),
        endsAt: endedAt?.toISOString() ?? NEVER,
        generatorURL: 'http://prometheus:9090/graph',
        fingerprint: '5ef77f1f8a3ecfdd',
      },
    ],
  };
}
