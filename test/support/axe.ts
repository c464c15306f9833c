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

/** What a rule says in the other colour scheme is the same, unless it looks at colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Violations that axe finds in both colour schemes: the rule and the element.
 *
 * @param part absent: the whole page
 */
export async function accessibilityFaults(page: Page, part: Locator = page.locator('html')): Promise<string[]> {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  if ((await page.evaluate('typeof axe')) === 'undefined') {
    await page.evaluate(await source);
  }
  const found: string[] = [];
  for (const [colorScheme, rules] of [
    ['light', null],
    ['dark', COLOUR_RULES],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const violations = await vi.waitUntil(() => violationsIn(part, rules), { timeout: HANG_MS, interval: 50 });
    found.push(
      ...violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${colorScheme} ${id} ${target.join(' ')}: ${failureSummary}`),
      ),
    );
  }
  return found;
}

/**
 * @param rules null: all
 * @returns null: the part was redrawn meanwhile
 */
function violationsIn(part: Locator, rules: readonly string[] | null): Promise<readonly Violation[] | null> {
  return part.evaluate(async (node, runOnly) => {
    const { axe } = globalThis as unknown as {
      axe: { run(node: unknown, options: object): Promise<{ violations: readonly Violation[] }> };
    };
    const options = { resultTypes: ['violations'], ...(runOnly !== null && { runOnly: [...runOnly] }) };
    const document = node.ownerDocument;
    try {
      return (await axe.run(node === document.documentElement ? document : node, options)).violations;
    } catch (error) {
      if (node.isConnected) {
        throw error;
      }
      return null;
    }
  }, rules);
}
