import type { App } from './app.ts';
import type { Config } from './config.ts';

/** Three lines for the terminal: where to click, and what to try next. */
export function bannerOf(app: App, config: Config): string[] {
  const { url, localSlack, service, bot, keys } = app;
  if (config.manifestPath !== null && localSlack !== null) {
    return [
      `Slack      ${localSlack.url}  ${localSlack.appName} of ${config.manifestPath}, by ${localSlack.transport}`,
      `Its bot    takes ${localSlack.apiUrl} as the address of the Web API`,
      `           and ${localSlack.botToken} as bot token, ${localSlack.appToken} as app token, ${localSlack.signingSecret} as signing secret`,
    ];
  }
  if (url === null) {
    return [
      `Slack      ${localSlack?.url}`,
      'A bot      joins with these settings and npm start -- bot',
      `           SLACK_API_URL=${localSlack?.apiUrl} SLACK_BOT_TOKEN=${localSlack?.botToken} SLACK_APP_TOKEN=${localSlack?.appToken}`,
    ];
  }
  const elsewhere = config.slack.kind === 'remote' ? `the bot talks to ${config.slack.apiUrl}` : 'no bot runs here';
  const password = keys === null ? 'an API key' : `in ${config.database.dataDir}/keys/dashboard.key`;
  const dashboard = `  dashboard ${url}/dashboard (any name; the password is ${password})`;
  const baseUrl = config.service.kind === 'remote' ? config.service.baseUrl : `${url}/v1`;
  const running = { url, localSlackUrl: localSlack?.url ?? null, dataDir: config.database.dataDir };
  return [
    `Slack      ${localSlack === null ? elsewhere : `${localSlack.url}  type /incidents open in #incidents`}`,
    `API        ${baseUrl}${service === null ? '' : dashboard}`,
    service !== null && bot !== null ? `Break it   ${breakIt(running)}` : `Health     ${url}/readyz`,
  ];
}

interface Running {
  readonly url: string;
  readonly localSlackUrl: string | null;
  readonly dataDir: string;
}

/** Commands for a second terminal, with every setting that is not the default. */
export function breakIt({ url, localSlackUrl, dataDir }: Running): string {
  const isAway = new URL(url).hostname !== '127.0.0.1';
  const port = portOf(url);
  const settings = [
    ...(isAway ? [`OTEL_EXPORTER_OTLP_ENDPOINT=${url}`] : []),
    ...(!isAway && port !== '3000' ? [`PORT=${port}`] : []),
    ...(dataDir === './data' ? [] : [`DATA_DIR=${quoteForShell(dataDir)}`]),
  ];
  const shop = [...settings, 'npm run shop -- --break payments  (in a second terminal)'].join(' ');
  if (localSlackUrl === null) {
    return shop;
  }
  const slackPort = portOf(localSlackUrl);
  const gameDay = [...settings, ...(slackPort === '3100' ? [] : [`LOCAL_SLACK_PORT=${slackPort}`])];
  return `${shop}, or ${[...gameDay, 'npm run gameday -- --attach'].join(' ')}`;
}

function portOf(url: string): string {
  return new URL(url).port || '80'; // URL leaves out the default port of HTTP
}

function quoteForShell(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
