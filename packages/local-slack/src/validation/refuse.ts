import { SlackError } from '../errors.ts';
import type { Violation } from './check.ts';

/** @throws SlackError listing all violations, if there are any */
export function refuseViolations(code: string, violations: readonly Violation[]): void {
  if (violations.length > 0) {
    const errors = violations.map((violation) => `${violation.message} [json-pointer:${violation.pointer}]`);
    const messages = errors.map((error) => `[ERROR] ${error}`);
    throw new SlackError(code, { errors, response_metadata: { messages } });
  }
}
