import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import { vi } from 'vitest';
import { HANG_MS } from './hang.ts';

let source: Promise<string> | undefined;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/**
 * Violations that axe finds in both colour schemes: the rule and the element.
 *
 * @param part absent: the whole page
 */
export async function accessibilityFaults(page: Page, part: Locator = page.locator('html')): Promise<string[]> {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(await source);
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const violations = await vi.waitUntil(() => violationsIn(part), { timeout: HANG_MS, interval: 50 });
    found.push(
      ...violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${colorScheme} ${id} ${target.join(' ')}: ${failureSummary}`),
      ),
    );
  }
  return found;
}

/** @returns null: the part was redrawn meanwhile */
function violationsIn(part: Locator): Promise<readonly Violation[] | null> {
  return part.evaluate(async (node) => {
    const { axe } = globalThis as unknown as {
      axe: { run(node: unknown): Promise<{ violations: readonly Violation[] }> };
    };
    const document = node.ownerDocument;
    try {
      return (await axe.run(node === document.documentElement ? document : node)).violations;
    } catch (error) {
      if (node.isConnected) {
        throw error;
      }
      return null;
    }
  });
}
