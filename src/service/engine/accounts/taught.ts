import { hasMostlyFailed } from '../../../incident/harm.ts';
import type { Lesson, TaughtRequests } from '../../core/lesson.ts';
import { SMALL_SHARE } from '../constants.ts';
import { entryKeyOf, type JudgedRequest, type PlaceMark, type Tested } from '../requests/judge-request.ts';
import { ALLOWED, MOST_ALLOWED, MUCH_LONGER } from './constants.ts';
import type { Episode } from './episode.ts';

/** A lesson about requests. */
export type RequestLesson = Lesson & { readonly taught: TaughtRequests };

export function allowedShare({ share }: TaughtRequests): number {
  return Math.min(MOST_ALLOWED, ALLOWED * share);
}

/** Marks of requests by the family of their evidence. */
const MARKS = {
  harmed_requests: 'harmed',
  tolerated_failures: 'tolerated',
  lost_time: 'slow',
} as const satisfies Record<TaughtRequests['family'], Tested>;

export function taughtMark({ taught: { family } }: RequestLesson): Tested {
  return MARKS[family];
}

/** Whether a request came in where the taught ones did. */
export function isOfEntries({ taught: { entries } }: RequestLesson, request: JudgedRequest): boolean {
  return entries.includes(entryKeyOf(request));
}

/** Whether a lost request is like the taught ones. */
export function covers(lesson: RequestLesson, { mark, blame }: PlaceMark, request: JudgedRequest): boolean {
  const { form, kinds, operations, extraMs } = lesson.taught;
  if (blame === null || mark !== taughtMark(lesson) || !isOfEntries(lesson, request)) {
    return false;
  }
  const lostMs = Math.max(blame.extraMs, mark === 'harmed' ? request.extraMs : 0);
  return (
    request.at < lesson.until &&
    kinds.includes(blame.kind) &&
    operations.includes(blame.node.span.operation) &&
    (mark !== 'harmed' || request.harm === form) &&
    (form === 'failed' || lostMs <= MUCH_LONGER * extraMs)
  );
}

/** What closing an incident of this episode as "not a problem" teaches. */
export function taughtBy(
  place: string,
  sender: string,
  family: TaughtRequests['family'],
  { requests, failed, extraMs, kinds, operations, entries, seenEntries }: Episode,
): TaughtRequests {
  const partsOf = <Key extends string>(counts: ReadonlyMap<Key, number>) =>
    [...counts]
      .filter(([, count]) => count >= SMALL_SHARE * requests)
      .toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .map(([key]) => key);
  const came = partsOf(entries);
  const sum = (counts: ReadonlyMap<string, number>) => came.reduce((all, key) => all + (counts.get(key) ?? 0), 0);
  return {
    kind: 'requests',
    place,
    sender,
    family,
    form: family === 'tolerated_failures' || hasMostlyFailed({ requests, failed }) ? 'failed' : 'slow',
    kinds: partsOf(kinds),
    operations: partsOf(operations),
    entries: came,
    share: Math.min(1, sum(entries) / Math.max(1, sum(seenEntries))),
    extraMs: extraMs / Math.max(requests, 1),
  };
}
