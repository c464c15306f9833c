import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

const FOLDER = join(import.meta.dirname, 'screenshots');
const ACTUAL = join(import.meta.dirname, '../../../../node_modules/.cache/tocsin-screenshots');

/** A pixel differs when one of its colours is further off than this, of 255: rounding of edges differs by less. */
const TOLERANCE = 24;

/** Whether pictures are to be written. */
const updatesScreenshots = (): boolean => process.env.UPDATE_SCREENSHOTS === '1';

/**
 * Compares what the page shows with screenshots/<name>.png. `UPDATE_SCREENSHOTS=1` writes that file instead:
 * look at it before it is committed.
 *
 * @returns the part of all pixels that differs, 0 to 1
 * @throws Error when there is nothing to compare with
 */
export async function compareScreenshot(browser: Browser, page: Page, name: string): Promise<number> {
  const expectedPath = join(FOLDER, `${name}.png`);
  const now = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  if (updatesScreenshots()) {
    await writeFile(expectedPath, now);
    return 0;
  }
  await access(expectedPath).catch(() => {
    throw new Error(`there is no ${expectedPath}: run the test with UPDATE_SCREENSHOTS=1, and look at what it wrote`);
  });
  await mkdir(ACTUAL, { recursive: true });
  await writeFile(join(ACTUAL, `${name}.png`), now);
  return await differingPart(browser, [await readFile(expectedPath), now]);
}

/** Runs in the browser, which decodes the pictures; 1 when they are not of one size. */
const DIFFERING_PART = `async (sources, tolerance) => {
  const read = async (source) => {
    const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,' + source)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  };
  const [one, other] = await Promise.all(sources.map(read));
  if (one.width !== other.width || one.height !== other.height) {
    return 1;
  }
  let differing = 0;
  for (let at = 0; at < one.data.length; at += 4) {
    const isOff = [0, 1, 2].some((colour) => Math.abs(one.data[at + colour] - other.data[at + colour]) > tolerance);
    differing += isOff ? 1 : 0;
  }
  return differing / (one.width * one.height);
}`;

async function differingPart(browser: Browser, pictures: readonly Buffer[]): Promise<number> {
  const blank = await browser.newPage(); // without the policy of the page
  try {
    const sources = JSON.stringify(pictures.map((picture) => picture.toString('base64')));
    return await blank.evaluate(`(${DIFFERING_PART})(${sources}, ${TOLERANCE})`);
  } finally {
    await blank.close();
  }
}
