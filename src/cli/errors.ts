/** The words after `npm start --` cannot be understood; the message says which can. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What was asked cannot be done; the message is one sentence for the operator. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
