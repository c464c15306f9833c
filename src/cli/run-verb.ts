import type { Logger } from 'pino';
import { type Config, readConfig, VERBS } from '../config.ts';
import { openDatabase } from '../database/database.ts';
import { openApiKeyStore } from '../service/store/api-key-store.ts';
import { createRawKey } from '../service/store/key-secret.ts';
import { openSignInLinkStore } from '../service/store/sign-in-link-store.ts';
import type { CommandResult } from './command-result.ts';
import { CommandError, UsageError } from './errors.ts';
import { parseKeysCommand } from './parse-keys-command.ts';
import { runDoctor } from './run-doctor.ts';
import { runKeysCommand } from './run-keys-command.ts';
import { parseSignInCommand, runSignInCommand } from './run-sign-in-command.ts';

type Verb = (typeof VERBS)[number];

export function isVerb(word: string | undefined): word is Verb {
  return VERBS.some((verb) => verb === word);
}

/**
 * Runs a command such as `keys` or `doctor`, whether or not Tocsin is running.
 *
 * @param args the words after the verb
 * @throws {UsageError | CommandError | ConfigError | DatabaseStartError}
 */
export async function runVerb(
  verb: Verb,
  args: readonly string[],
  deps: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly logger: Logger;
    readonly now: () => Date;
  },
): Promise<CommandResult> {
  switch (verb) {
    case 'keys': {
      const command = parseKeysCommand(args);
      if (command.action === 'generate') {
        return {
          output: createRawKey('read-write').rawKey,
          notice: 'The key is not stored. Set it as BOOTSTRAP_API_KEY before the first start of the service.',
        };
      }
      const config = readConfig(deps.env, ['service']);
      demandStoredHere(config, 'keys');
      await using database = await openDatabase({ ...config.database, logger: deps.logger });
      return await runKeysCommand(command, await openApiKeyStore(database), deps.now());
    }
    case 'sign-in': {
      const command = parseSignInCommand(args);
      const config = readConfig(deps.env, ['service']);
      demandStoredHere(config, 'sign-in links');
      await using database = await openDatabase({ ...config.database, logger: deps.logger });
      return await runSignInCommand(command, await openSignInLinkStore(database), {
        http: config.http,
        now: deps.now(),
      });
    }
    case 'doctor':
      if (args.length > 0) {
        throw new UsageError('doctor takes no arguments: npm start -- doctor');
      }
      return await runDoctor(deps.env, deps.logger, deps.now);
  }
}

/** @throws {CommandError} */
function demandStoredHere({ service }: Config, what: string): void {
  if (service.kind === 'remote') {
    throw new CommandError(
      `INCIDENTS_BASE_URL names a remote service, and ${what} are stored where the service runs: run this command there`,
    );
  }
}
