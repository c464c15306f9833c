import type { Child } from 'hono/jsx';

/** Embeddings, overrides and isolates of the direction of writing, and what ends them. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text that somebody else wrote: people, senders, services. It is isolated, so that its direction of writing ends with it.
 * Characters that turn the direction by force are shown as U+FFFD, because such text is also part of our sentences: the
 * counts after a service named "x\u202e" would read backwards. All such text goes through here, as far as it stands in a
 * place that takes elements: an option, the title of a window and an attribute do not.
 */
export function Foreign({ children }: { readonly children?: Child }) {
  const parts: readonly Child[] = [children].flat();
  return <bdi>{parts.map((part) => (typeof part === 'string' ? part.replaceAll(TURNING, '\ufffd') : part))}</bdi>;
}
