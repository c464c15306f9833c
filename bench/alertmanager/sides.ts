import type { LocalSlack } from 'local-slack';
import { startAlertmanager } from '../../test/support/alertmanager.ts';
import { type Alert, postAlerts } from '../alerts.ts';
import { forgetNewCards, servicesInStorms } from '../bot-database.ts';
import type { ScratchCluster } from '../scratch-cluster.ts';
import { startServiceProcess } from '../service-process.ts';
import { CHANNEL, startBot, startSlackForApp } from '../slack-app.ts';

/** A way from alerts to a channel in a local Slack of its own. */
export interface Side extends AsyncDisposable {
  readonly slack: LocalSlack;
  fire(alerts: readonly Alert[]): Promise<void>;
  end(alerts: readonly Alert[]): Promise<void>;
  /** The services that are shown in one message with others; any number of messages of their own comes beside. */
  shownTogether(): Promise<readonly string[]>;
  /** What was sent so far has no bearing on what is sent next. */
  rest(): Promise<void>;
}

/** How soon Alertmanager tries again what it could not send; its default is five minutes. */
export const GROUP_INTERVAL = '30s';

/** Debian's Alertmanager, which posts each alert by itself, and at once. */
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
    end: (alerts) => alertmanager.post(alerts.map((alert) => ({ ...alert, endsAt: new Date().toISOString() }))),
    shownTogether: async () => [],
    rest: async () => undefined,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Tocsin, which gets at a webhook what Alertmanager would send there: its service and its bot, each by itself. */
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
    end: (alerts) => postAlerts(service, alerts, new Date()),
    shownTogether: () => servicesInStorms(databaseUrl),
    rest: () => forgetNewCards(databaseUrl),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
