import { SlackError } from '../errors.ts';
import type { Fault } from './check.ts';

/** @throws SlackError with every fault at its JSON pointer, when there is any */
export function refuseFaults(code: string, faults: readonly Fault[]): void {
  if (faults.length > 0) {
    const errors = faults.map((fault) => `${fault.message} [json-pointer:${fault.pointer}]`);
    const messages = errors.map((error) => `[ERROR] ${error}`);
    throw new SlackError(code, { errors, response_metadata: { messages } });
  }
}
