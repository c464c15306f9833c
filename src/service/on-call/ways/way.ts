import type { z } from 'zod';
import type { WakeMessage } from '../waking/message.ts';

/**
 * - `gone`: the address does not exist any more, so the way cannot be used until somebody adds it again.
 * - `refused`: the provider will not take this message, however often it is sent.
 * - `later`: certainly nothing arrived, and a repetition may succeed.
 * - `unavailable`: it may have arrived; a repetition may succeed.
 */
export type WayFailure = 'gone' | 'refused' | 'later' | 'unavailable';

/** Contains nothing of the address, the message or the response but its status. */
export class WayError extends Error {
  override readonly name = 'WayError';
  readonly failure: WayFailure;
  /** The pause that the provider asked for. */
  readonly retryAfterMs: number;

  constructor(failure: WayFailure, message: string, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(message, options);
    this.failure = failure;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}

/** A message that was sent, or may have been. */
export interface Sent<Address> extends Pick<WakeMessage, 'id' | 'code' | 'answerUrl'> {
  readonly address: Address;
  /** What the provider knows it by, as `call` returned it; null: not known. */
  readonly reference: string | null;
  /** When the call began. */
  readonly at: Date;
}

/** How it is made sure that a message whose acceptance is not known reaches its reader once. */
export type LostAnswer<Address> =
  /** A repeated call with the same message is one message to its reader. */
  | { readonly by: 'repeating' }
  /** The provider tells what it has. `find` returns null if it does not have the message. */
  | { readonly by: 'finding'; find(sent: Sent<Address>): Promise<string | null> }
  /** It cannot be made sure, so there are at most two calls. */
  | { readonly by: 'at most two calls' };

/** What a provider tells of a message. A `WayError`: nobody will answer it. */
export type Heard = 'nothing yet' | 'answered' | WayError;

/** How people are woken by one kind of provider. */
export interface Way<Address extends object = object> {
  /** Reads the address that a person gave, and the stored one. */
  readonly address: z.ZodType<Address>;
  /** For its owner and admins. A secret is shortened. */
  describe(address: Address): string;
  /** For everybody else. Absent: as for its owner. */
  mask?(address: Address): string;
  /** How a person shows that they get what is sent there. `delivery`: the provider's answer to a test shows it. */
  readonly provedBy: 'code' | 'answer' | 'delivery';
  /** What keeps it from being used, such as a setting; null: nothing. */
  readonly missing: string | null;
  /** Calls that a process makes at a time. Absent: `PLACES_OF_HOST`. */
  readonly pace?: number;
  readonly lostAnswer: LostAnswer<Address>;
  /** @returns what the provider knows the message by; null: nothing. @throws {WayError} */
  call(address: Address, message: WakeMessage): Promise<string | null>;
  /**
   * The provider takes the message at once, and tells later what became of it (`reportAttempt`). An attempt without a report
   * within this time has failed. Absent: the end of `call` is all that is told.
   */
  readonly reportedWithinMs?: number;
  /** Takes a message back, or says who has it. Absent: it stays. @throws {WayError} */
  takeBack?(sent: Sent<Address>, message: WakeMessage): Promise<unknown>;
  /** Asks the provider whether it was answered. Absent: answers come by the link alone. @throws {WayError} */
  hear?(sent: Sent<Address>): Promise<Heard>;
}
