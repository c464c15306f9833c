/** An error whose message tells the person at the terminal what to do. It is printed without a stack trace. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  /** What the process exits with. */
  readonly exitCode: number = 1;
}
