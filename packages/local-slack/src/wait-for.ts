/**
 * Calls `find` after every change until it returns something.
 *
 * @throws Error after `timeoutMs` of the machine's time
 */
export function waitFor<T>(
  observers: Set<() => void>,
  find: () => T | null | undefined | false,
  timeoutMs: number,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(deadline);
      observers.delete(look);
      finish();
    };
    const deadline = setTimeout(() => {
      settle(() =>
        reject(new Error(`nothing in local Slack met the condition within ${timeoutMs} ms: ${find.toString()}`)),
      );
    }, timeoutMs);
    const look = (): void => {
      try {
        const found = find();
        if (found !== null && found !== undefined && found !== false) {
          settle(() => resolve(found));
        }
      } catch (error) {
        settle(() => reject(error));
      }
    };
    observers.add(look);
    look();
  });
}
