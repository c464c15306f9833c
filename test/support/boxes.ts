import type { Locator } from 'playwright-core';

/** Where an element is in the page, in CSS pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Of those that are shown. */
export async function boxesOf(elements: Locator): Promise<readonly Box[]> {
  const boxes = await Promise.all((await elements.all()).map((element) => element.boundingBox()));
  return boxes.filter((box) => box !== null);
}

/** Pairs of boxes that share more than a pixel. */
export function overlaps(boxes: readonly Box[]): readonly (readonly [Box, Box])[] {
  return boxes.flatMap((one, index) =>
    boxes
      .slice(index + 1)
      .filter(
        (other) =>
          one.x + one.width > other.x + 1 &&
          other.x + other.width > one.x + 1 &&
          one.y + one.height > other.y + 1 &&
          other.y + other.height > one.y + 1,
      )
      .map((other) => [one, other] as const),
  );
}

export function isWithin(inner: Box, outer: Box): boolean {
  return (
    inner.x >= outer.x &&
    inner.x + inner.width <= outer.x + outer.width + 1 &&
    inner.y >= outer.y &&
    inner.y + inner.height <= outer.y + outer.height + 1
  );
}
