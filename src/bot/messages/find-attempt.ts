import { addMilliseconds } from 'date-fns/addMilliseconds';
import { subMilliseconds } from 'date-fns/subMilliseconds';
import { LRUCache } from 'lru-cache';
import type { Attempt } from '../domain/attempt.ts';
import { classifySlackFailure } from '../slack/errors.ts';

const PAGE = 200;
/** Read at a time, so that the lease holds; the next call reads on. Each takes 5 s at most. */
const MAX_PAGES = 8;
/** Attempts are timed by Slack's clock, which is measured to about a second. */
const CLOCK_TOLERANCE_MS = 60_000;
/** A post that was not there when it was looked for has arrived by then, or never will. */
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
 * @param read reads a page of a channel or of a thread
 * @returns the `ts` of the message that the attempt has posted; null: it has posted none
 * @throws Error when not everything is read yet, or what `read` throws; the next call reads on
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
