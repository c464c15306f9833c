import { OverloadedError } from '../core/errors.ts';

/** The bytes that one request holds. Disposing of it releases them. */
export interface HeldBytes extends Disposable {
  /** @throws {OverloadedError} when they exceed the fair share of the owner */
  add(bytes: number): void;
  release(bytes: number): void;
}

/**
 * Limits the bytes of all requests in flight. An owner may hold as many bytes as are still free: one owner at most half of
 * them, and n owners an equal share that leaves one share free. So a single owner cannot keep out the others.
 *
 * @see Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches" (1998)
 */
export function createBytesInFlight(capacity: number): (owner: string) => HeldBytes {
  const byOwner = new Map<string, number>();
  let total = 0;

  function change(owner: string, bytes: number): void {
    total += bytes;
    const held = (byOwner.get(owner) ?? 0) + bytes;
    if (held === 0) {
      byOwner.delete(owner);
    } else {
      byOwner.set(owner, held);
    }
  }

  return (owner) => {
    let held = 0;
    const release = (bytes: number) => {
      held -= bytes;
      change(owner, -bytes);
    };
    return {
      add(bytes) {
        if ((byOwner.get(owner) ?? 0) + bytes > capacity - total - bytes) {
          throw new OverloadedError('too many bytes of unfinished requests: send again later, and fewer at once');
        }
        held += bytes;
        change(owner, bytes);
      },
      release,
      [Symbol.dispose]: () => release(held),
    };
  };
}
