import { addMilliseconds } from '../../../runtime/dates.ts';

/** A `response_url` works for 30 minutes; one minute is kept as a margin. */
const RESPONSE_URL_MS = 29 * 60_000;
/** How long a modal is refreshed. Slack does not report when people close it. */
const MODAL_MS = 60 * 60_000;
/** Refreshes per `response_url`. It has five uses: one showed the list, and one is kept for the receipt of a click. */
const USES = 3;
/** Pause after each refresh of a message. The first is short, because the person is probably still looking. */
const REST_MS = [3_000, 60_000] as const;
const MODAL_REST_MS = 5_000;

/** Where a view that one person sees is shown. */
export interface ShownIn {
  /** The modal; null: it is a message. */
  readonly viewId: string | null;
  /** The `response_url` that replaces the message; null: there is none. */
  readonly responseUrl: string | null;
  /** Channel where the person asked. Only the newest message of each kind in a channel is refreshed. */
  readonly channelId: string | null;
  /** The message; null or absent: a modal, or Slack has not said it yet. */
  readonly messageTs?: string | null;
}

/** A view that one person sees and that is refreshed until a time. */
export interface OpenView {
  /** Identifies the content: `listName` for a list, the filter for signals. */
  readonly what: string;
  readonly viewId: string | null;
  readonly responseUrl: string | null;
  readonly messageTs: string | null;
  readonly incidentIds: readonly string[];
  /** An ISO string. */
  readonly until: string;
  /** How often it was refreshed. */
  readonly refreshes: number;
}

export function openView(
  { viewId, responseUrl, messageTs = null }: ShownIn,
  what: string,
  incidentIds: readonly string[],
  now: Date,
): OpenView {
  const until = addMilliseconds(now, viewId === null ? RESPONSE_URL_MS : MODAL_MS).toISOString();
  return { what, viewId, responseUrl, messageTs, incidentIds, until, refreshes: 0 };
}

export interface Refresh {
  /** Until when the view is refreshed after this; null: this is the last time. */
  readonly nextUntil: Date | null;
  /** The pause after it, in milliseconds. */
  readonly restMs: number;
}

/**
 * Whether the view may be refreshed once more.
 *
 * @param failures failed attempts since the last refresh; each may count as a use of the `response_url`
 * @returns null: its time is over, or Slack accepts no more
 */
export function nextRefresh({ viewId, until, refreshes }: OpenView, failures: number, now: Date): Refresh | null {
  const end = new Date(until);
  if (!(now < end)) {
    return null;
  }
  if (viewId !== null) {
    return { nextUntil: end, restMs: MODAL_REST_MS };
  }
  const used = refreshes + failures;
  return used >= USES ? null : { nextUntil: used + 1 < USES ? end : null, restMs: REST_MS[used] ?? 0 };
}
