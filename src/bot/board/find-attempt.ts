const PAGE = 200;
const MAX_PAGES = 10;
/** Our clock and Slack's differ a little. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

interface Range {
  readonly oldest: string;
  readonly limit: number;
  readonly include_all_metadata: true;
  readonly cursor?: string;
}

interface Page {
  readonly messages?: readonly { readonly ts?: string; readonly metadata?: { readonly event_payload?: object } }[];
  readonly response_metadata?: { readonly next_cursor?: string };
}

/**
 * The message that an attempt has left, by the id in its metadata; null: none.
 *
 * @param read the messages of a channel or of a thread, a page at a time
 */
export async function findAttempt(
  attempt: { readonly id: string; readonly at: Date },
  read: (range: Range) => Promise<Page>,
): Promise<string | null> {
  const oldest = String(Math.floor((attempt.at.getTime() - CLOCK_TOLERANCE_MS) / 1_000));
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { messages, response_metadata } = await read({
      oldest,
      limit: PAGE,
      include_all_metadata: true,
      ...(cursor !== undefined && { cursor }),
    });
    const found = messages?.find(({ metadata }) => attemptIdOf(metadata?.event_payload) === attempt.id);
    if (found?.ts !== undefined) {
      return found.ts;
    }
    cursor = response_metadata?.next_cursor;
    if (cursor === undefined || cursor === '') {
      return null;
    }
  }
  return null;
}

function attemptIdOf(payload: object | undefined): unknown {
  return payload === undefined ? undefined : Reflect.get(payload, 'attempt_id');
}
