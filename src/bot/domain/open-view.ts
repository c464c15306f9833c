import { addMilliseconds } from 'date-fns/addMilliseconds';

/** Slack accepts 30 minutes; the last of them is not relied on. */
const RESPONSE_URL_MS = 29 * 60_000;
/** Slack does not tell when people stop looking at a modal. */
const MODAL_MS = 60 * 60_000;
/** Of the five uses of a `response_url`, one showed the list, and one is for the receipt of a click. */
const USES = 3;
/** The pause after each refresh of a message. The first ones are quick, because somebody is just looking at it. */
const REST_MS = [3_000, 60_000] as const;
const MODAL_REST_MS = 5_000;

/** Where a view that one person sees is shown. */
export interface ShownIn {
  /** The modal; null: it is a message. */
  readonly viewId: string | null;
  /** Where Slack accepts another content for the message. */
  readonly responseUrl: string | null;
  /** Where the person asked; of the messages of a place, the newest one is refreshed. */
  readonly channelId: string | null;
}

/** A view that one person sees and that is refreshed until a time. */
export interface OpenView {
  /** Names the content: of a list see `listName`, of signals the filter. */
  readonly what: string;
  readonly viewId: string | null;
  readonly responseUrl: string | null;
  readonly incidentIds: readonly string[];
  /** An ISO string. */
  readonly until: string;
  /** How often it was refreshed. */
  readonly refreshes: number;
}

export function openView(
  { viewId, responseUrl }: ShownIn,
  what: string,
  incidentIds: readonly string[],
  now: Date,
): OpenView {
  const until = addMilliseconds(now, viewId === null ? RESPONSE_URL_MS : MODAL_MS).toISOString();
  return { what, viewId, responseUrl, incidentIds, until, refreshes: 0 };
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
 * @param failures tries since the last refresh, which may have used up the `response_url`
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
