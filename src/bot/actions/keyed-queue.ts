/** Serializes work with the same key, so that two clicks on one incident see each other's result. */
export function createKeyedQueue(): <Result>(key: string, run: () => Promise<Result>) => Promise<Result> {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, run) => {
    const before = tails.get(key) ?? Promise.resolve();
    const mine = before.then(run, run);
    tails.set(key, mine);
    try {
      return await mine;
    } finally {
      if (tails.get(key) === mine) {
        tails.delete(key);
      }
    }
  };
}
