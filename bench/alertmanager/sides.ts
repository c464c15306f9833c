import type { LocalSlack } from 'local-slack';
import { startAlertmanager } from '../../test/support/alertmanager.ts';
import { type Alert, postAlerts } from '../alerts.ts';
import { forgetNewCards } from '../bot-database.ts';
import type { ScratchCluster } from '../scratch-cluster.ts';
import { startServiceProcess } from '../service-process.ts';
import { CHANNEL, startBot, startSlackForApp } from '../slack-app.ts';

/** A system that delivers alerts to a channel in its own local Slack. */
export interface Side extends AsyncDisposable {
  readonly slack: LocalSlack;
  fire(alerts: readonly Alert[]): Promise<void>;
  /** Makes the next alerts independent of earlier ones. */
  rest(): Promise<void>;
}

/** When Alertmanager retries a failed notification; its default is five minutes. */
export const GROUP_INTERVAL = '30s';

/** Debian's Alertmanager, which posts each alert separately and at once. */
export async function startAlertmanagerSide(): Promise<Side> {
  await using stack = new AsyncDisposableStack();
  const { slack, app } = stack.use(await startSlackForApp('Socket Mode'));
  const toSlack = {
    api_url: `${app.apiUrl}chat.postMessage`,
    http_config: { authorization: { credentials: app.botToken } },
    channel: `#${CHANNEL}`,
    title: '{{ .CommonLabels.service }}: {{ .CommonLabels.alertname }}',
    text: '{{ .CommonAnnotations.summary }}',
  };
  const alertmanager = stack.use(
    await startAlertmanager({
      route: { receiver: 'slack', group_by: ['...'], group_wait: '0s', group_interval: GROUP_INTERVAL },
      receivers: [{ name: 'slack', slack_configs: [toSlack] }],
    }),
  );
  const started = stack.move();
  return {
    slack,
    fire: (alerts) => alertmanager.post(alerts),
    rest: async () => undefined,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Tocsin, which receives Alertmanager's webhook messages. Service and bot are separate processes. */
export async function startTocsinSide(cluster: ScratchCluster, database: string): Promise<Side> {
  await using stack = new AsyncDisposableStack();
  const databaseUrl = await cluster.createDatabase(database);
  const service = stack.use(await startServiceProcess(databaseUrl));
  const slackForApp = stack.use(await startSlackForApp('Socket Mode'));
  stack.use(await startBot(slackForApp, service, databaseUrl));
  const started = stack.move();
  return {
    slack: slackForApp.slack,
    fire: (alerts) => postAlerts(service, alerts),
    rest: () => forgetNewCards(databaseUrl),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
