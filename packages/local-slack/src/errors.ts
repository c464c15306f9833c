/** An answer of `{ ok: false, error }`. */
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

/** Slack's answer to arguments that are missing or malformed. */
export function invalidArguments(...messages: readonly string[]): SlackError {
  return new SlackError('invalid_arguments', {
    response_metadata: { messages: messages.map((message) => `[ERROR] ${message}`) },
  });
}

/** A person cannot do that: the message, button or channel is not there for them. */
export class ImpossibleActionError extends Error {
  override readonly name = 'ImpossibleActionError';
}

/** 429: come back after so many seconds. */
export class RateLimitedError extends Error {
  override readonly name = 'RateLimitedError';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('ratelimited');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Local Slack cannot start; the message says why and what to do. */
export class LocalSlackStartError extends Error {
  override readonly name = 'LocalSlackStartError';
}
