import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { vi } from 'vitest';
import { HANG_MS } from './hang.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const MAX_BYTES = 200_000;

/** Writes docs/<path>. No test compares pictures, because machines draw glyphs differently. */
export async function keepPicture(target: Page | Locator, path: string, mostBytes = MAX_BYTES): Promise<void> {
  // A redraw while the picture is taken (a reply in the thread, say) detaches the element.
  const picture = await vi.waitFor(() => target.screenshot({ animations: 'disabled', caret: 'hide' }), {
    timeout: HANG_MS,
  });
  if (picture.length > mostBytes) {
    throw new Error(`${path} has ${picture.length} bytes, more than a page of docs should load`);
  }
  await mkdir(dirname(join(DOCS, path)), { recursive: true });
  await writeFile(join(DOCS, path), picture);
}
