/**
 * Address of the stream of changes of a page.
 *
 * @param position sequence of the last event that the page contains
 * @param parameters of the page itself
 */
export function liveUrl(
  page: 'incidents' | 'incident',
  position: bigint,
  parameters: Readonly<Record<string, string>>,
): string {
  return `/dashboard/live/${page}?${new URLSearchParams({ ...parameters, after: String(position) }).toString()}`;
}
