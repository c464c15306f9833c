import { parseArgs } from 'node:util';
import type { Config } from '../config/config.ts';
import { addressOf } from '../config/front-door-address.ts';
import { ROLES, type Role } from '../contract/sign-in.ts';
import { createPrintedLink } from '../service/printed-link.ts';
import type { SignInLinkStore } from '../service/store/people/sign-in-link-store.ts';
import type { CommandResult } from './command-result.ts';
import { CommandError, UsageError } from './errors.ts';

export interface SignInCommand {
  readonly name: string;
  readonly role: Role;
}

const USAGE = `npm start -- sign-in [--name <name>] [--role ${ROLES.join('|')}]`;
const MAX_NAME = 200;

/**
 * @param args the words after `sign-in`
 * @throws {UsageError}
 */
export function parseSignInCommand(args: readonly string[]): SignInCommand {
  const { name, role: word } = readOptions(args);
  const role = ROLES.find((known) => known === word);
  if (role === undefined) {
    throw new UsageError(`--role must be one of ${ROLES.join(', ')}\n${USAGE}`);
  }
  if (name.trim() === '' || name.length > MAX_NAME) {
    throw new UsageError(`--name must have 1 to ${MAX_NAME} characters\n${USAGE}`);
  }
  return { name: name.trim(), role };
}

function readOptions(args: readonly string[]) {
  try {
    const options = {
      name: { type: 'string', default: 'admin' },
      role: { type: 'string', default: 'admin' },
    } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : 'invalid arguments'}\n${USAGE}`, { cause: error });
  }
}

/** @throws {CommandError} */
export async function runSignInCommand(
  command: SignInCommand,
  links: SignInLinkStore,
  { http, now }: { readonly http: Config['http']; readonly now: Date },
): Promise<CommandResult> {
  if (http.publicUrl === null && http.port === 0) {
    throw new CommandError('PORT is 0, so the address is not known: set PORT or PUBLIC_URL to what the service uses');
  }
  const publicUrl = (http.publicUrl ?? addressOf(http.host, http.port)).replace(/\/+$/, '');
  const { url, expiresAt } = await createPrintedLink(links, { ...command, publicUrl, now });
  const notice = `Signs in once as ${command.name} (${command.role}), until ${expiresAt.toISOString()}.`;
  return { output: url, notice };
}
