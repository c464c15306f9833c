import { LocalSlackStartError } from 'local-slack';
import { type App, startApp } from './app.ts';
import { BotStartError } from './bot/domain/errors.ts';
import { CommandError, UsageError } from './cli/errors.ts';
import { isVerb, runVerb } from './cli/run-verb.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { DatabaseStartError } from './database/errors.ts';
import { PortTakenError } from './front-door.ts';
import { createLogger } from './logger.ts';

/** Errors whose message is written for the operator: told in words, without a stack trace. */
const OPERATOR_ERRORS = [
  ConfigError,
  DatabaseStartError,
  PortTakenError,
  LocalSlackStartError,
  BotStartError,
  CommandError,
  UsageError,
];

const [verb, ...rest] = process.argv.slice(2);

async function run(): Promise<void> {
  if (isVerb(verb)) {
    const now = () => new Date();
    const { result, remark, isAlarming } = await runVerb(verb, rest, {
      env: process.env,
      logger: createLogger('warn'),
      now,
    });
    say([result]);
    process.stderr.write(remark === null ? '' : `${remark}\n`);
    process.exitCode = isAlarming ? 1 : 0;
    return;
  }
  const config = readConfig(process.env, process.argv.slice(2));
  const stopAsked = untilAskedToStop();
  await using app = await startApp({ config, logger: createLogger(config.logLevel), now: () => new Date() });
  say(greet(app, config));
  if (app.firstKey !== null) {
    say([
      'First key  shown only this once; it opens the API, and the dashboard as a password',
      `           ${app.firstKey}`,
    ]);
  }
  await stopAsked;
}

/** A signal that comes again changes nothing: npm passes on what a terminal has sent to all of us already. */
function untilAskedToStop(): Promise<unknown> {
  return new Promise((resolve) => {
    process.on('SIGTERM', resolve);
    process.on('SIGINT', resolve);
  });
}

/** Where to click, in three lines. */
function greet({ url, localSlack, service, bot, keys }: App, config: Config): string[] {
  const { slack, service: chosen, database } = config;
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
  const elsewhere = slack.kind === 'remote' ? `the bot talks to ${slack.apiUrl}` : 'no bot runs here';
  const slackLine = localSlack === null ? elsewhere : `${localSlack.url}  type /incidents open in #incidents`;
  const password = keys === null ? 'an API key' : `in ${database.dataDir}/keys/dashboard.key`;
  const dashboard = `dashboard ${url}/dashboard (any name; the password is ${password})`;
  const baseUrl = chosen.kind === 'remote' ? chosen.baseUrl : `${url}/v1`;
  const canBreak = service !== null && bot !== null;
  return [
    `Slack      ${slackLine}`,
    `API        ${baseUrl}${service === null ? '' : `  ${dashboard}`}`,
    canBreak
      ? `Break it   npm run shop -- --break payments  (in a second terminal)${localSlack === null ? '' : ', or npm run gameday -- --attach'}`
      : `Health     ${url}/readyz`,
  ];
}

function say(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

try {
  await run();
} catch (error) {
  if (!OPERATOR_ERRORS.some((kind) => error instanceof kind)) {
    throw error;
  }
  const heading = isVerb(verb) ? `tocsin ${verb}:` : 'tocsin cannot start:';
  process.stderr.write(`${heading}\n${error instanceof Error ? error.message.replace(/^/gm, '  ') : ''}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
