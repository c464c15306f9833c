import { retriedAmong, type SpanNode, walk } from '../request-tree.ts';

/**
 * Marks calls as failed whose server says that it failed, unless a retry of the call succeeded.
 *
 * Many libraries leave the status of a call unset, and a server may answer a failure of its own with a status that blames the
 * caller: its database is down, and it says `NOT_FOUND`. Services of the OpenTelemetry Demo do so.
 */
export function markFailedAnswers(entry: SpanNode): void {
  for (const node of [...walk(entry)].toReversed()) {
    if (node.span.role === 'client' && !node.span.isFailed && isFailedAtServer(node)) {
      markFailed(node);
    }
  }
}

/** Whether the server of a call says that it failed. A server span that only seems to belong to the call says nothing. */
function isFailedAtServer({ span, children }: SpanNode): boolean {
  const answers = children.filter((child) => child.span.service !== span.service && !child.isAdopted);
  const failed = answers.filter((answer) => answer.span.isFailed);
  const isRetried = failed.length === 0 ? () => true : retriedAmong(answers);
  return failed.some((answer) => !isRetried(answer));
}

export function markFailed(node: SpanNode): void {
  const { isRejected: _, ...span } = node.span;
  node.span = { ...span, isFailed: true };
}
