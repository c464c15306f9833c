/**
 * Calls to one host that a process makes at a time. 1,000 people who are woken at once, by two processes, through a provider
 * that answers in 300 ms, are all called within 5 s: 1,000 × 0.3 s / (5 s × 2) = 30. Places are drawn by chance, so the one
 * that most wait for has about half more than its share, and the rest is for our own statements and what is tried again.
 */
export const PLACES_OF_HOST = 80;

/** Calls of a way to hosts that people name: three of them that do not answer leave enough to the others. */
export const PLACES_OF_MANY_HOSTS = 4 * PLACES_OF_HOST;

/** The host that calls to an address go to; null: they go to the one provider of its kind. */
export function hostOf(address: unknown): string | null {
  const { url, endpoint } = Object(address);
  return URL.parse(String(url ?? endpoint))?.host ?? null;
}
