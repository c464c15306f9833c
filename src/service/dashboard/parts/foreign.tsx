import type { Child } from 'hono/jsx';

/**
 * Text that somebody else wrote: people, senders, services. It is isolated, so that characters which turn the direction
 * of writing (U+202E and its kin) end with it, and cannot make the words beside it say something else. All such text goes
 * through here, as far as it stands in a place that takes elements: an option, the title of a window and an attribute do
 * not.
 */
export function Foreign({ children }: { readonly children?: Child }) {
  return <bdi>{children}</bdi>;
}
