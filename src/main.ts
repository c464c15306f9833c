import { LocalSlackStartError } from 'local-slack';
import { startApp } from './app.ts';
import { bannerOf } from './banner.ts';
import { BotStartError } from './bot/domain/errors.ts';
import { CommandError, UsageError } from './cli/errors.ts';
import { isVerb, runVerb } from './cli/run-verb.ts';
import { ConfigError, readConfig } from './config.ts';
import { DatabaseStartError } from './database/errors.ts';
import { PortTakenError } from './front-door.ts';
import { helpText } from './help.ts';
import { createLogger } from './logger.ts';
import { listenForShutdown } from './shutdown.ts';

/** Errors whose message is written for the operator. They are printed without a stack trace. */
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
  if (verb === '--help' || verb === '-h') {
    say([helpText()]);
    return;
  }
  if (isVerb(verb)) {
    const now = () => new Date();
    const { output, notice, hasFailed } = await runVerb(verb, rest, {
      env: process.env,
      logger: createLogger('warn'),
      now,
    });
    say([output]);
    process.stderr.write(notice === null ? '' : `${notice}\n`);
    process.exitCode = hasFailed ? 1 : 0;
    return;
  }
  const config = readConfig(process.env, process.argv.slice(2));
  const shutdown = listenForShutdown();
  await using app = await startApp({ config, logger: createLogger(config.logLevel), now: () => new Date() });
  say(bannerOf(app, config));
  if (app.firstKey !== null) {
    say(['First key  shown only this once; the dashboard takes it too', `           ${app.firstKey}`]);
  }
  await shutdown.asked;
  app.announceStop();
  await shutdown.drain(config.drainMs);
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
