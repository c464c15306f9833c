import { addMilliseconds } from 'date-fns/addMilliseconds';
import { subMilliseconds } from 'date-fns/subMilliseconds';
import { LRUCache } from 'lru-cache';
import { classifySlackFailure } from '../slack/errors.ts';

const PAGE = 200;
/** As many as are read within a lease; the rest is for the next turn. */
const PAGES_A_TURN = 10;
/** Our clock and Slack's differ a little. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** By then a post that was not there when it was looked for has arrived, or never will. */
export const LATE_POST_MS = 2 * 60_000;
const MOST_UNDER_WAY = 1_000;

/** A message that may have been posted without our hearing of it. */
export interface Attempt {
  /** In its metadata, the same each time it is tried. */
  readonly id: string;
  /** When it was tried first. */
  readonly at: Date;
  readonly lastAt: Date;
}

interface Range {
  readonly oldest: string;
  readonly latest: string;
  readonly limit: number;
  readonly include_all_metadata: true;
  readonly cursor?: string;
}

interface Page {
  readonly messages?: readonly { readonly ts?: string; readonly metadata?: { readonly event_payload?: object } }[];
  readonly response_metadata?: { readonly next_cursor?: string };
}

/**
 * @param read the messages of a channel or of a thread, a page at a time
 * @returns where the message is that the attempt has left; null: it has left none
 * @throws Error when not all is read yet, or what `read` throws; then the next call reads on
 */
export type FindAttempt = (attempt: Attempt, read: (range: Range) => Promise<Page>) => Promise<string | null>;

export function createFindAttempt(): FindAttempt {
  const cursors = new LRUCache<string, string>({ max: MOST_UNDER_WAY });

  return async ({ id, at, lastAt }, read) => {
    const within = {
      oldest: toSeconds(subMilliseconds(at, CLOCK_TOLERANCE_MS)),
      latest: toSeconds(addMilliseconds(lastAt, LATE_POST_MS + CLOCK_TOLERANCE_MS)),
      limit: PAGE,
      include_all_metadata: true,
    } as const;
    const search = `${id} ${within.latest}`;

    for (let pages = 0; pages < PAGES_A_TURN; pages += 1) {
      const cursor = cursors.get(search);
      const page = await read({ ...within, ...(cursor !== undefined && { cursor }) }).catch((error: unknown) => {
        if (classifySlackFailure(error).kind === 'refused') {
          cursors.delete(search); // as a cursor that is too old
        }
        throw error;
      });
      const found = page.messages?.find(({ metadata }) => attemptIdOf(metadata?.event_payload) === id)?.ts;
      const next = page.response_metadata?.next_cursor ?? '';
      if (found !== undefined || next === '') {
        cursors.delete(search);
        return found ?? null;
      }
      cursors.set(search, next);
    }
    throw new Error('a message is not found yet among very many');
  };
}

function toSeconds(moment: Date): string {
  return String(Math.floor(moment.getTime() / 1_000));
}

function attemptIdOf(payload: object | undefined): unknown {
  return payload === undefined ? undefined : Reflect.get(payload, 'attempt_id');
}
