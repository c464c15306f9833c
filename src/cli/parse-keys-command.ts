import { parseArgs } from 'node:util';
import { SCOPES, type Scope } from '../contract/route.ts';
import { hoursToMilliseconds, minutesToMilliseconds, secondsToMilliseconds } from '../runtime/dates.ts';
import { UsageError } from './errors.ts';

export type KeysCommand =
  | { readonly action: 'create'; readonly name: string; readonly scope: Scope }
  | { readonly action: 'generate' }
  | { readonly action: 'list' }
  | { readonly action: 'history' }
  | { readonly action: 'revoke'; readonly id: string }
  | { readonly action: 'rotate'; readonly id: string; readonly graceMs: number };

export const KEYS_USAGE = `npm start -- keys create --name <name> --scope ${SCOPES.join('|')}
npm start -- keys generate
npm start -- keys list
npm start -- keys history
npm start -- keys revoke <id>
npm start -- keys rotate <id> [--grace <duration such as 15m, 24h or 7d; 0 revokes the old key at once>]`;

const MAX_NAME = 200;
const MAX_GRACE_MS = hoursToMilliseconds(30 * 24);
const DEFAULT_GRACE = '24h';

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  s: secondsToMilliseconds(1),
  m: minutesToMilliseconds(1),
  h: hoursToMilliseconds(1),
  d: hoursToMilliseconds(24),
};

/**
 * @param args the words after `keys`
 * @throws {UsageError}
 */
export function parseKeysCommand(args: readonly string[]): KeysCommand {
  const [action = '', ...rest] = args;
  switch (action) {
    case 'create': {
      const { name = '', scope } = readWords(rest, 0, ['name', 'scope']).options;
      return { action, name: readName(name), scope: readScope(scope) };
    }
    case 'generate':
    case 'list':
    case 'history':
      readWords(rest, 0, []);
      return { action };
    case 'revoke':
      return { action, id: readWords(rest, 1, []).id };
    case 'rotate': {
      const { id, options } = readWords(rest, 1, ['grace']);
      return { action, id, graceMs: readGrace(options.grace ?? DEFAULT_GRACE) };
    }
    default:
      throw usage(action === '' ? 'an action is missing after keys' : `unknown action ${JSON.stringify(action)}`);
  }
}

/** @param ids the number of ids that the action takes */
function readWords(
  args: readonly string[],
  ids: 0 | 1,
  known: readonly string[],
): { id: string; options: Readonly<Record<string, string | undefined>> } {
  const { values, positionals } = parse(args, known);
  const [id = ''] = positionals;
  if (positionals.length < ids) {
    throw usage('the id of the key is missing: npm start -- keys list shows it');
  }
  if (positionals.length > ids) {
    throw usage(`unexpected argument ${JSON.stringify(positionals[ids])}`);
  }
  return { id, options: values };
}

function parse(args: readonly string[], known: readonly string[]) {
  try {
    const options = Object.fromEntries(known.map((name) => [name, { type: 'string' as const }]));
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw usage(error instanceof Error ? error.message : 'invalid arguments', error);
  }
}

function readName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > MAX_NAME) {
    throw usage(`--name must have 1 to ${MAX_NAME} characters: say who will use the key`);
  }
  return name;
}

function readScope(text: string | undefined): Scope {
  const scope = SCOPES.find((known) => known === text);
  if (scope === undefined) {
    throw usage(`--scope must be one of ${SCOPES.join(', ')}`);
  }
  return scope;
}

function readGrace(text: string): number {
  const [, amount, unit] = /^(\d{1,7})([smhd])$/.exec(text === '0' ? '0s' : text) ?? [];
  const graceMs = Number(amount) * (MS_PER_UNIT[unit ?? ''] ?? Number.NaN);
  if (!(graceMs <= MAX_GRACE_MS)) {
    throw usage(
      `--grace ${JSON.stringify(text)} is not a duration of up to 30d: use for example 0, 90s, 15m, 24h or 7d`,
    );
  }
  return graceMs;
}

function usage(fault: string, cause?: unknown): UsageError {
  return new UsageError(`${fault}\n${KEYS_USAGE}`, { cause });
}
