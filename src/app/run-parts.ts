import { readConfig } from '../config/config.ts';
import { misspeltSettings } from '../config/misspelt.ts';
import { createLogger } from '../runtime/logger.ts';
import { startApp } from './app.ts';
import { bannerOf } from './banner.ts';
import { listenForShutdown } from './shutdown.ts';

/**
 * Runs the parts until somebody asks the process to stop. A start ends at its next step.
 *
 * @param args which parts, see `readConfig`
 * @throws OperatorError
 */
export async function runParts(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  say: (lines: readonly string[]) => void,
): Promise<void> {
  const config = readConfig(env, args);
  const { asked, stopping, drain } = listenForShutdown();
  const logger = createLogger(config.logLevel);
  for (const sentence of misspeltSettings(env)) {
    logger.warn(sentence);
  }
  const onStep = (step: string) => {
    stopping.throwIfAborted();
    say([`Starting   ${step}`]);
  };
  await using app = await startApp({ config, logger, now: () => new Date(), onStep }).catch((error: unknown) => {
    if (stopping.aborted) {
      return null;
    }
    throw error;
  });
  if (app === null) {
    return;
  }
  if (!stopping.aborted) {
    say(bannerOf(app, config));
  }
  if (app.firstKey !== null) {
    say(['First key  shown only this once; the dashboard takes it too', `           ${app.firstKey}`]);
  }
  await asked;
  app.announceStop();
  await drain(config.drainMs);
}
