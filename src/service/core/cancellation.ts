import type { Span } from './telemetry.ts';
import { textOf } from './text.ts';

/**
 * Types of exceptions that say that the caller gave up. Not `TaskCanceledException`: .NET throws it for its own timeouts
 * as well.
 */
const TYPE = /(?:^|[.:$])(?:CancellationException|CancelledError|AbortError|OperationCanceledException)$/;
/** What Go and mobile clients say. A deadline that is exceeded is a failure. */
const MESSAGE = /^(?:.*: )?(?:context canceled|cancell?ed)$/i;
/** More is no such message. */
const READ_CHARACTERS = 400;

/** Whether a span ended because nobody waited for it any more: a person left, or its caller had its answer. */
export function isCancelled({ attributes, exception, statusMessage }: Span): boolean {
  const types = [exception?.['exception.type'], attributes['error.type']];
  const messages = [exception?.['exception.message'], statusMessage];
  return (
    types.some((type) => TYPE.test(textOf(type).slice(0, READ_CHARACTERS))) ||
    messages.some((message) => MESSAGE.test(textOf(message).slice(0, READ_CHARACTERS)))
  );
}
