import { type ApiKey, isWorking } from '../service/core/api-key.ts';
import type { ApiKeyStore } from '../service/store/api-key-store.ts';
import { CommandError } from './errors.ts';
import type { KeysCommand } from './parse-keys-command.ts';
import type { Told } from './told.ts';

/** @throws {CommandError} */
export async function runKeysCommand(command: KeysCommand, keys: ApiKeyStore, now: Date): Promise<Told> {
  switch (command.action) {
    case 'create': {
      const { key, rawKey } = await keys.create(command.name, command.scope, now);
      return { result: rawKey, remark: `${key.id} (${key.scope}) is made; its value is shown only this once.` };
    }
    case 'list':
      return { result: renderTable(await keys.list(), now), remark: null };
    case 'revoke':
      if (!(await keys.revoke(command.id, now))) {
        throw new CommandError(`there is no key ${command.id}: npm start -- keys list shows those there are`);
      }
      return { result: `${command.id} is revoked`, remark: null };
    case 'rotate': {
      const rotation = await keys.rotate(command.id, command.graceMs, now);
      if (rotation === null) {
        throw new CommandError(
          `there is no key ${command.id} that works: npm start -- keys list shows those there are`,
        );
      }
      const { key, rawKey, oldWorksUntil } = rotation;
      const ending = oldWorksUntil > now ? `works until ${oldWorksUntil.toISOString()}` : 'works no more';
      return { result: rawKey, remark: `${key.id} takes the place of ${command.id}, which ${ending}.` };
    }
  }
}

function renderTable(keys: readonly ApiKey[], now: Date): string {
  const rows = [
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
  ].map((row) => row.map(toOneLine));
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
  return `${isWorking(key, now) ? 'works until' : 'ended'} ${key.expiresAt.toISOString()}`;
}

/** A name is anyone's text: nothing in it may steer the terminal. */
function toOneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
