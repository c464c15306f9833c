/** The command line is invalid. The message says what is valid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed. The message is one sentence for the operator. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
