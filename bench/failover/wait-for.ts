import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;

/** Asks until there is an answer other than null or false. @throws Error that names what did not come */
export async function waitFor<Found>(
  find: () => Promise<Found | null | false>,
  limitMs: number,
  what: string,
): Promise<Found> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await find();
    if (found !== null && found !== false) {
      return found;
    }
    if (performance.now() > deadline) {
      throw new Error(`${what} did not come within ${limitMs / 1_000} s`);
    }
    await sleep(POLL_MS);
  }
}
