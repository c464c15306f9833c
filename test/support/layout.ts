import type { Locator } from 'playwright-core';

/** WCAG 2.2, success criterion 2.5.8 (minimum target size), in CSS pixels. */
const MIN_TARGET = 24;

/**
 * What is wrong with the size and place of an element's content: text or controls that stick out of it, cut-off text,
 * and buttons that are too small to hit. Empty: the layout holds, whatever fonts the machine has.
 */
export function layoutFaults(target: Locator): Promise<string[]> {
  return target.evaluate((root, minTarget) => {
    const faults: string[] = [];
    const outer = root.getBoundingClientRect();
    const { scrollWidth, clientWidth } = root.ownerDocument.documentElement;
    if (scrollWidth > clientWidth) {
      faults.push(`the page scrolls sideways: ${scrollWidth} in ${clientWidth}`);
    }
    for (const element of root.querySelectorAll('*')) {
      const { left, right, width, height } = element.getBoundingClientRect();
      if (width === 0 || height === 0 || !element.checkVisibility()) {
        continue;
      }
      const name = `${element.tagName} "${element.textContent.trim().slice(0, 40)}"`;
      if (left < outer.left - 1 || right > outer.right + 1) {
        faults.push(`${name} is outside: ${left} to ${right} in ${outer.left} to ${outer.right}`);
      }
      if (element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1) {
        faults.push(`${name} is cut off: ${element.scrollWidth} in ${element.clientWidth}`);
      }
      if (element.tagName === 'BUTTON' && (width < minTarget || height < minTarget)) {
        faults.push(`${name} is too small: ${width} by ${height}`);
      }
    }
    return faults;
  }, MIN_TARGET);
}

/** The lines of text of a message, as the browser breaks them, without its buttons. */
export function linesAboveButtons(message: Locator): Promise<number> {
  return message.locator('.block').evaluateAll((blocks) => {
    const middles = blocks
      .filter((block) => block.querySelector('button') === null)
      .flatMap((block) => {
        const range = block.ownerDocument.createRange();
        range.selectNodeContents(block);
        return [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0 && height < 30);
      })
      .map(({ top, height }) => top + height / 2)
      .toSorted((one, other) => one - other);
    return middles.filter((middle, index) => index === 0 || middle - (middles[index - 1] ?? 0) > 6).length;
  });
}
