import { type SpanNode, walk } from './request-tree.ts';
import { wasRepeated } from './retries.ts';

/**
 * Takes a call for failed if who answered it says that it failed, and no later try of the same call went well. Load generators,
 * scripts and many libraries leave the status of their spans unset, and a server that failed may answer with a status that
 * blames its caller: a database is down, and it says `NOT_FOUND`.
 */
export function takeFailuresOfAnswers(entry: SpanNode): void {
  for (const node of [...walk(entry)].toReversed()) {
    if (node.span.role === 'client' && !node.span.isFailed && failedAnswerOf(node)) {
      const { isRejected: _, ...span } = node.span;
      node.span = { ...span, isFailed: true };
    }
  }
}

/** An answer that is only guessed says nothing about the call. */
function failedAnswerOf({ span, children }: SpanNode): boolean {
  const answers = children.filter((child) => child.span.service !== span.service && !child.isAdopted);
  return answers.some((answer) => answer.span.isFailed && !wasRepeated(answers, answer));
}
