import { type ApiKey, isWorking } from '../service/core/api-key.ts';
import { describeKeyEvent, KEY_ACTORS, type KeyEvent } from '../service/core/key-event.ts';
import type { ApiKeyStore } from '../service/store/keys/api-key-store.ts';
import type { CommandResult } from './command-result.ts';
import { CommandError } from './errors.ts';
import type { KeysCommand } from './parse-keys-command.ts';

/** Number of events that `keys history` shows, newest first. */
const EVENTS_SHOWN = 100;

/** @throws {CommandError} */
export async function runKeysCommand(
  command: Exclude<KeysCommand, { action: 'generate' }>,
  keys: ApiKeyStore,
  now: Date,
): Promise<CommandResult> {
  switch (command.action) {
    case 'create': {
      const { key, rawKey } = await keys.create(command.name, command.scope, now, KEY_ACTORS.commandLine);
      return { output: rawKey, notice: `Created ${key.id} (${key.scope}). The key is shown only this once.` };
    }
    case 'list':
      return { output: renderKeys(await keys.list(), now), notice: null };
    case 'history':
      return { output: renderHistory(await keys.history(EVENTS_SHOWN)), notice: null };
    case 'revoke':
      if (!(await keys.revoke(command.id, now, KEY_ACTORS.commandLine))) {
        throw new CommandError(`there is no key ${command.id}: npm start -- keys list shows all keys`);
      }
      return { output: `revoked ${command.id}`, notice: null };
    case 'rotate': {
      const rotation = await keys.rotate(command.id, command.graceMs, now, KEY_ACTORS.commandLine);
      if (rotation === null) {
        throw new CommandError(`there is no valid key ${command.id}: npm start -- keys list shows all keys`);
      }
      const { key, rawKey, oldWorksUntil } = rotation;
      const ending = oldWorksUntil > now ? `works until ${oldWorksUntil.toISOString()}` : 'is no longer valid';
      return { output: rawKey, notice: `${key.id} replaces ${command.id}, which ${ending}.` };
    }
  }
}

function renderKeys(keys: readonly ApiKey[], now: Date): string {
  return renderTable([
    ['ID', 'NAME', 'SCOPE', 'BEGINS WITH', 'CREATED', 'LAST USED', 'STATE'],
    ...keys.map((key) => [
      key.id,
      key.name,
      key.scope,
      key.hint,
      key.createdAt.toISOString(),
      key.lastUsedAt?.toISOString() ?? 'never',
      describeState(key, now),
    ]),
  ]);
}

function renderHistory(events: readonly KeyEvent[]): string {
  return renderTable([
    ['WHEN', 'KEY', 'NAME', 'WHAT', 'BY'],
    ...events.map((event) => [
      event.at.toISOString(),
      event.keyId,
      event.keyName ?? '',
      describeKeyEvent(event),
      event.by,
    ]),
  ]);
}

/** @param cells by row, the heading first */
function renderTable(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(toOneLine));
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, i) => Math.max(cell.length, widest[i] ?? 0)),
    [],
  );
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function describeState(key: ApiKey, now: Date): string {
  if (key.revokedAt !== null) {
    return `revoked ${key.revokedAt.toISOString()}`;
  }
  if (key.expiresAt === null) {
    return 'works';
  }
  return `${isWorking(key, now) ? 'works until' : 'expired'} ${key.expiresAt.toISOString()}`;
}

/** Replaces control characters, because names are untrusted and must not control the terminal. */
function toOneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
