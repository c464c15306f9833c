import { OperatorError } from '../runtime/operator-error.ts';

/** The command line is invalid. The message says what is valid. */
export class UsageError extends OperatorError {
  override readonly name = 'UsageError';
  override readonly exitCode = 2;
}

/** The command failed. The message is one sentence for the operator. */
export class CommandError extends OperatorError {
  override readonly name = 'CommandError';
}
