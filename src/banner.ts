import type { App } from './app.ts';
import type { Config } from './config.ts';
import { gameDayCommand, type RunningTocsin, shopCommand } from './example-commands.ts';
import type { PrintedLink } from './service/printed-link.ts';

const SIGN_IN = 'npm start -- sign-in';

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
  const dashboard = `  dashboard ${url}/dashboard${signInLink === null ? ` (for a link: ${SIGN_IN})` : ''}`;
  const baseUrl = config.service.kind === 'remote' ? config.service.baseUrl : `${url}/v1`;
  const running = { url, localSlackUrl: localSlack?.url ?? null, dataDir: config.database.dataDir };
  return [
    `Slack      ${localSlack === null ? elsewhere : `${localSlack.url}  type /incidents open in #incidents`}`,
    `API        ${baseUrl}${service === null ? '' : dashboard}`,
    service !== null && bot !== null ? `Break it   ${breakIt(running)}` : `Health     ${url}/readyz`,
    ...(signInLink === null ? [] : signInLines(signInLink)),
  ];
}

function signInLines({ url, expiresAt }: PrintedLink): string[] {
  const until = `${expiresAt.toISOString().slice(11, 16)} UTC`;
  return [`Sign in    ${url}`, `           works once, until ${until}; for another link: ${SIGN_IN}`];
}

/** Commands for a second terminal. */
export function breakIt(running: RunningTocsin & { readonly localSlackUrl: string | null }): string {
  const shop = `${shopCommand(running)}  (in a second terminal)`;
  return running.localSlackUrl === null ? shop : `${shop}, or ${gameDayCommand(running, running.localSlackUrl)}`;
}
