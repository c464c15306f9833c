import { LRUCache } from 'lru-cache';
import { addMilliseconds, subMilliseconds } from '../../runtime/dates.ts';
import { classifySlackFailure } from '../slack/errors.ts';
import type { Attempt } from './attempt.ts';

const PAGE = 200;
/** Pages per call, each 5 s at most, so that the lease does not expire. The next call continues. */
const MAX_PAGES = 8;
/** Margin for the measured difference to Slack's clock. */
const CLOCK_TOLERANCE_MS = 60_000;
/** Time after an attempt in which its post may still arrive, even if a search did not find it. */
export const LATE_POST_MS = 2 * 60_000;
const MAX_SEARCHES = 1_000;

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
 * @param read reads one page of a channel or thread
 * @returns the `ts` of the message that the attempt posted; null: it did not post
 * @throws Error when not all pages have been read yet, or errors of `read`; the next call continues
 */
export type FindAttempt = (attempt: Attempt, read: (range: Range) => Promise<Page>) => Promise<string | null>;

export function createFindAttempt(): FindAttempt {
  const cursors = new LRUCache<string, string>({ max: MAX_SEARCHES });

  return async ({ id, firstAt, lastAt }, read) => {
    const within = {
      oldest: toSeconds(subMilliseconds(firstAt, CLOCK_TOLERANCE_MS)),
      latest: toSeconds(addMilliseconds(lastAt, LATE_POST_MS + CLOCK_TOLERANCE_MS)),
      limit: PAGE,
      include_all_metadata: true,
    } as const;
    const search = `${id} ${within.latest}`;

    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const cursor = cursors.get(search);
      const page = await read({ ...within, ...(cursor !== undefined && { cursor }) }).catch((error: unknown) => {
        if (classifySlackFailure(error).kind === 'refused') {
          cursors.delete(search); // the cursor may have expired
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
    throw new Error('not all messages are searched yet');
  };
}

function toSeconds(moment: Date): string {
  return String(Math.floor(moment.getTime() / 1_000));
}

function attemptIdOf(payload: object | undefined): unknown {
  return payload === undefined ? undefined : Reflect.get(payload, 'attempt_id');
}
