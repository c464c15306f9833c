import type { Config } from '../config/config.ts';
import type { PrintedLink } from '../service/printed-link.ts';
import type { App } from './app.ts';
import { gameDayCommand, HAS_EXAMPLES, type RunningTocsin, shopCommand } from './example-commands.ts';

const SIGN_IN = 'npm start -- sign-in';
const SLACK_APP = 'npm start --silent -- slack-app';

/** A few lines for the terminal: where to click, and what to try next. */
export function bannerOf(app: App, config: Config): string[] {
  const { url, localSlack, service, bot, signInLink } = app;
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
  const running = { url, localSlackUrl: localSlack?.url ?? null, dataDir: config.database.dataDir };
  return [
    `Slack      ${localSlack === null ? elsewhere : `${localSlack.url}  type /incidents open in #incidents`}`,
    config.service.kind === 'remote'
      ? `API        ${config.service.baseUrl}`
      : `Dashboard  ${service === null ? `${url}/dashboard` : dashboard(config.http.publicUrl ?? url, signInLink)}`,
    service !== null && bot !== null && HAS_EXAMPLES ? `Break it   ${breakIt(running)}` : `Health     ${url}/readyz`,
    ...(localSlack === null ? [] : [`Your Slack ${SLACK_APP}  (prints a link that creates the app there)`]),
  ];
}

function dashboard(url: string, link: PrintedLink | null): string {
  return link === null
    ? `${url}/dashboard  (for a link that signs in: ${SIGN_IN})`
    : `${link.url}  signs in once, until ${link.expiresAt.toISOString().slice(11, 16)} UTC (another: ${SIGN_IN})`;
}

/** Commands for a second terminal. */
export function breakIt(running: RunningTocsin & { readonly localSlackUrl: string | null }): string {
  const shop = `${shopCommand(running)}  (in a second terminal)`;
  return running.localSlackUrl === null ? shop : `${shop}, or ${gameDayCommand(running, running.localSlackUrl)}`;
}
