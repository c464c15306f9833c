import { openSignInLinkStore } from '../service/store/people/sign-in-link-store.ts';
import type { CommandResult, VerbDeps } from './command-result.ts';
import { openLocalDatabase } from './local-database.ts';
import { parseSignInCommand, runSignInCommand } from './run-sign-in-command.ts';

export async function runSignIn(args: readonly string[], { env, now }: VerbDeps): Promise<CommandResult> {
  const command = parseSignInCommand(args);
  const { config, database } = await openLocalDatabase(env, 'sign-in links');
  await using _closed = database;
  return await runSignInCommand(command, await openSignInLinkStore(database), { http: config.http, now: now() });
}
