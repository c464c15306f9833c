import type { Child } from 'hono/jsx';

interface RegionView {
  readonly id: string;
  readonly title: string;
  /** It replaces the region that the page shows. */
  readonly isChanged: boolean;
  readonly children?: Child;
}

/** A part of a page with a heading, which the stream of changes can replace. */
export function Region({ id, title, isChanged, children }: RegionView) {
  return (
    <section id={id} class="region" aria-labelledby={`${id}-title`} {...swapIf(isChanged)}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </section>
  );
}

/** What makes an element of a message replace the element of the page with its id. */
export function swapIf(isChanged: boolean): Readonly<Record<string, string>> {
  return isChanged ? { 'hx-swap-oob': 'outerMorph' } : {};
}
