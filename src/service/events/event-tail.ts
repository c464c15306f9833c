import type { StreamEvent } from '../core/sign-in-request.ts';
import type { EventStore } from '../store/events/event-store.ts';

/** Events that readers at the end of the stream share. */
const MAX_KEPT = 1_000;
const BATCH = 100;

/** The last events, read once for all streams of this process. */
export interface EventTail {
  /** Reads what is new. @returns whether there may be something for readers */
  advance(): Promise<boolean>;
  /** Forgets everything, because nobody reads. */
  forget(): void;
  /**
   * The events after a position, oldest first, as the same objects for each reader.
   *
   * @returns null: the position is too far back, or nothing was read yet
   */
  after(position: bigint): readonly StreamEvent[] | null;
}

export function createEventTail(events: Pick<EventStore, 'listAfter' | 'findBounds'>): EventTail {
  /** Consecutive, oldest first. */
  let kept: StreamEvent[] = [];
  /** Sequence of the event before the first kept one, and of the last one; null: nothing was read yet. */
  let range: { readonly from: bigint; readonly to: bigint } | null = null;

  return {
    async advance() {
      if (range === null) {
        const { last } = await events.findBounds();
        kept = [];
        range = { from: last, to: last };
        return true;
      }
      const before = range.to;
      for (;;) {
        const batch = await events.listAfter(range.to, BATCH);
        const all = [...kept, ...batch];
        kept = all.slice(-MAX_KEPT);
        range = {
          from: all.length > MAX_KEPT ? (all.at(-MAX_KEPT - 1)?.sequence ?? range.from) : range.from,
          to: batch.at(-1)?.sequence ?? range.to,
        };
        if (batch.length < BATCH) {
          return range.to > before;
        }
      }
    },

    forget() {
      kept = [];
      range = null;
    },

    after(position) {
      if (range === null || position < range.from) {
        return null;
      }
      const first = kept.findLastIndex(({ sequence }) => sequence <= position) + 1;
      return kept.slice(first, first + BATCH);
    },
  };
}
