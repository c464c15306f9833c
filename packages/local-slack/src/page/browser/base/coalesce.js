/**
 * Runs `work` one at a time. Calls while it runs cause one more run.
 *
 * @param {() => Promise<void>} work
 * @returns {() => Promise<void>}
 */
export function coalesce(work) {
  let isRunning = false;
  let isStale = false;
  return async () => {
    isStale = true;
    if (isRunning) {
      return;
    }
    isRunning = true;
    try {
      while (isStale) {
        isStale = false;
        await work();
      }
    } finally {
      isRunning = false;
    }
  };
}
