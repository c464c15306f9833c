import { createRawKey } from '../service/store/keys/key-secret.ts';
import type { CommandResult, VerbDeps } from './command-result.ts';
import { parseKeysCommand } from './parse-keys-command.ts';

const GENERATED = 'The key is not stored. Set it as BOOTSTRAP_API_KEY before the first start of the service.';

/** `keys generate` needs no database and loads none. */
export async function runKeys(args: readonly string[], deps: VerbDeps): Promise<CommandResult> {
  const command = parseKeysCommand(args);
  if (command.action === 'generate') {
    return { output: createRawKey('read-write').rawKey, notice: GENERATED };
  }
  const [{ openLocalDatabase }, { openApiKeyStore }, { runKeysCommand }] = await Promise.all([
    import('./local-database.ts'),
    import('../service/store/keys/api-key-store.ts'),
    import('./run-keys-command.ts'),
  ]);
  const { database } = await openLocalDatabase(deps.env, 'keys');
  await using _closed = database;
  return await runKeysCommand(command, await openApiKeyStore(database), deps.now());
}
