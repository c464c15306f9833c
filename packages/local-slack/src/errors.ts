/** Answered as `{ ok: false, error }`. */
export class SlackError extends Error {
  override readonly name = 'SlackError';
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, details: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/** Slack's error for missing or malformed arguments. */
export function invalidArguments(...messages: readonly string[]): SlackError {
  return new SlackError('invalid_arguments', {
    response_metadata: { messages: messages.map((message) => `[ERROR] ${message}`) },
  });
}

/** The person cannot do that: the message, button or channel does not exist for them. */
export class ImpossibleActionError extends Error {
  override readonly name = 'ImpossibleActionError';
}

/** Answered as HTTP 429. */
export class RateLimitedError extends Error {
  override readonly name = 'RateLimitedError';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('ratelimited');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Local Slack cannot start. The message says why and what to do. */
export class LocalSlackStartError extends Error {
  override readonly name: string = 'LocalSlackStartError';
}

export class PortTakenError extends LocalSlackStartError {
  override readonly name = 'PortTakenError';
  readonly port: number;

  constructor(port: number, options?: ErrorOptions) {
    super(`port ${port} is in use by another program: stop it, or choose another port`, options);
    this.port = port;
  }
}
