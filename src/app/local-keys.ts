import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from '../service/service.ts';

/** Programs on this machine with their own key in `DATA_DIR/keys`, in files that only the owner can read. */
const HOLDERS = ['bot', 'dashboard', 'shop'] as const;
export type LocalKeys = Readonly<Record<(typeof HOLDERS)[number], string>>;

/** Reads the keys and creates those that are missing or no longer valid. */
export async function provideLocalKeys(dataDir: string, service: Service): Promise<LocalKeys> {
  const folder = join(dataDir, 'keys');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const provide = async (holder: string): Promise<string> => {
    const file = join(folder, `${holder}.key`);
    const standing = await readIfThere(file);
    if (standing !== null && (await service.isValidKey(standing))) {
      return standing;
    }
    const key = await service.createKey(`${holder} on this machine`, 'read-write');
    await writeFile(`${file}.new`, `${key}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
    return key;
  };
  const [bot, dashboard, shop] = await Promise.all([provide('bot'), provide('dashboard'), provide('shop')]);
  return { bot, dashboard, shop };
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return null;
    }
    throw error;
  }
}
