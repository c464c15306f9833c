import { createRealClock } from '../../../runtime/clock.ts';
import { withTimeout } from '../../../runtime/timeout.ts';

/** Together less than 5 seconds: people must not believe a page that long. */
const EVERY_MS = 1_500;
const ANSWER_MS = 1_500;

/** Whether the database answers what pages ask. It is asked only while somebody watches. */
export interface Pulse {
  /** @param notify called when that changes, and once it is known; @returns ends it */
  watch(notify: (isWell: boolean) => void): () => void;
}

/** @param probe a cheap read of each table that pages need */
export function createPulse(probe: () => Promise<unknown>, everyMs = EVERY_MS, answerMs = ANSWER_MS): Pulse {
  const clock = createRealClock();
  const watchers = new Set<(isWell: boolean) => void>();
  /** null: nobody knows, because nobody watched. */
  let isWell: boolean | null = null;
  let isBeating = false;

  async function beat(): Promise<void> {
    const found = await withTimeout(answerMs, probe).then(
      () => true,
      () => false,
    );
    if (found !== isWell) {
      isWell = found;
      for (const notify of watchers) {
        notify(found);
      }
    }
    isBeating = watchers.size > 0;
    if (isBeating) {
      clock.after(everyMs, () => void beat());
    } else {
      isWell = null;
    }
  }

  return {
    watch(notify) {
      watchers.add(notify);
      if (isWell !== null) {
        notify(isWell);
      }
      if (!isBeating) {
        isBeating = true;
        void beat();
      }
      return () => watchers.delete(notify);
    },
  };
}
