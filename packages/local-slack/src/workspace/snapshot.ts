import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LocalSlackStartError } from '../errors.ts';
import type { Snapshot, Workspace } from './workspace.ts';

const DEBOUNCE_MS = 500;

/** Null when the file does not exist. @throws LocalSlackStartError when it is not a valid snapshot */
export async function readSnapshot(path: string): Promise<Snapshot | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return null;
    }
    throw error;
  }
  const snapshot = parseJson(text) as Snapshot | null;
  if (snapshot?.version !== 1) {
    throw new LocalSlackStartError(
      `${path} is not a workspace of this version of local Slack: move it away to start with a new one`,
    );
  }
  return snapshot;
}

/** Saves the workspace shortly after each change and on disposal. The file is replaced atomically. */
export function keepSnapshot(workspace: Workspace, path: string, onError: (error: unknown) => void): AsyncDisposable {
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve();

  async function write(): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    const draft = `${path}.${process.pid}.tmp`;
    await writeFile(draft, JSON.stringify(workspace.snapshot()), { mode: 0o600 });
    await rename(draft, path);
  }

  function writeNow(): Promise<void> {
    timer = null;
    writing = writing.then(write).catch(onError);
    return writing;
  }

  const unsubscribe = workspace.onChange(() => {
    timer ??= setTimeout(() => void writeNow(), DEBOUNCE_MS).unref();
  });
  return {
    async [Symbol.asyncDispose]() {
      unsubscribe();
      if (timer !== null) {
        clearTimeout(timer);
      }
      await writeNow();
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
